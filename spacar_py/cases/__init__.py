"""Published cases as models, for tests, benchmarks and examples."""
