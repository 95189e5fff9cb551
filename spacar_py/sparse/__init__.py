"""Large models: the same equations in nodal coordinates, as sparse saddle-point systems."""
