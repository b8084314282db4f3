# The suites of other folders that `./run gpu` runs too, relative to tests/.
set(oriel_gpu_runtime_suite kinds/device_runtime_test.cpp kinds/device_failures_test.cpp
    kinds/device_sharing_test.cpp kinds/device_atomics_test.cpp)
set(oriel_gpu_window_suites conformance device device_epochs)  # of win/, _test.cpp
set(oriel_gpu_session_suite session/kinds_of_memory_test.cpp)
