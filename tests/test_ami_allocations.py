"""The loops over linear time-varying systems allocate at their start, and nothing per step."""

import numpy as np
import pytest
from _ami import loop
from numba.core.runtime import _nrt_python, rtsys

from spacar_py.ami.loop import perturbation_system
from spacar_py.ami.modal import modal_basis, reduce

SYSTEMS = {
    "perturbation": lambda: perturbation_system(loop()),
    "AMI": lambda: reduce(loop(), modal_basis(loop()), 4, "inertial").system("cubic"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_allocations_do_not_grow_with_the_number_of_steps(name):
    system = SYSTEMS[name]()
    # as many output points each time; fewer than the thousand steps after which the loop comes back to Python
    run = dict(times=np.linspace(0.0, 0.1, 11), rtol=1e-2, atol=1e-2)
    system.simulate(**run)  # compiled, and the runtime of numba begun
    _nrt_python.memsys_enable_stats()
    steps, allocations = [], []
    for longest in (1e-3, 2e-4, 1.2e-4):
        before = rtsys.get_allocation_stats().alloc
        steps.append(system.simulate(**run, max_step=longest)[1]["steps"])
        allocations.append(rtsys.get_allocation_stats().alloc - before)
    assert steps[2] > 2 * steps[0]
    assert allocations[0] == allocations[1] == allocations[2]
