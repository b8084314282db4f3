# The kernels of `./run gpu`, on the processors of the test driver: PTX that tests/drivers/ptx runs.
# `./run gpu --on-processors` builds the target gpu-on-processors and runs gpu.on_processors.*.
add_custom_target(gpu-on-processors)
set(tests ${PROJECT_SOURCE_DIR}/tests)

# on_processors(<name> <source> <target> [SCHEDULES <seed>…]) builds a program once and runs <command>
# by each schedule; without any, in turn.
function(on_processors name source)
  cmake_parse_arguments(arg "TWO_RANKS" "" "SCHEDULES" ${ARGN})
  oriel_gpu_program(on-processors-${name} ON_PROCESSORS LIBS oriel SOURCES ${source})
  add_dependencies(gpu-on-processors on-processors-${name})
  set(command $<TARGET_FILE:on-processors-${name}>)
  if(arg_TWO_RANKS)
    set(command ${tests}/gpu/two_ranks.sh ${command})
  endif()
  foreach(schedule IN ITEMS 0 LISTS arg_SCHEDULES)
    set(test gpu.on_processors.${name}.${schedule})
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT
      "ORIEL_TEST_SCHEDULE=${schedule};ORIEL_TEST_DEVICES=1;ORIEL_MEMORY_ALLOC_KINDS=mpi,system,cuda;ORIEL_TIMEOUT=60;LD_LIBRARY_PATH=$<TARGET_FILE_DIR:oriel_test_cuda>")
  endforeach()
endfunction()

on_processors(kernels ${tests}/gpu/kernels.cu TWO_RANKS SCHEDULES 1)
on_processors(operations ${tests}/device/gpu_operations.cu SCHEDULES 1)
on_processors(bandwidth ${tests}/device/gpu_bandwidth.cu)
on_processors(atomics ${tests}/device/gpu_atomics.cu SCHEDULES 2)
on_processors(hash_map ${tests}/hash_map/gpu_test.cu SCHEDULES 1 2 3)

# Every operation of a table on device memory, against an oracle: some seeds here, all of a thousand by
# `schedules --seeds 1000`. Each step that is made weaker must fail under one of 400.
oriel_gpu_program(on-processors-schedules ON_PROCESSORS SOURCES ${tests}/hash_map/schedules.cu)
add_dependencies(gpu-on-processors on-processors-schedules)
function(schedules name)
  set(test gpu.on_processors.schedules.${name})
  add_test(NAME ${test} COMMAND on-processors-schedules ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()
function(mutant name mix weakened)
  schedules(without_${name} --mix ${mix} --seeds 400 --expect-failure)
  set_tests_properties(gpu.on_processors.schedules.without_${name} PROPERTIES ENVIRONMENT
                       "ORIEL_TEST_MUTANT=${weakened}")
endfunction()
schedules(right --seeds 60)
schedules(lockstep --seeds 60 --policy lockstep)  # warps without progress of each lane's own
mutant(acquire insert_general "acquire:return device::load_acquire(base_ + i)")
mutant(release insert_general "release:device::store_release(base_ + i, w)")
mutant(order erase_wide "fence:void order() const { device::fence()")
mutant(claim insert "swap:now = words_.compare_swap(slot, Slot::empty, busy ?")
mutant(return erase "swap:words_.compare_swap(slot, now, Slot::returning(now)) != now")
mutant(revisit erase "swap:words_.compare_swap(slot, now, Slot::busy) != now")
mutant(hold erase "swap:words_.compare_swap(p.at, p.now, Slot::busy) != p.now")
mutant(change add "swap:words_.compare_swap(at, before, next(before))")
mutant(lock assign_wide "swap:words_.compare_swap(p.at, p.now, Slot::locked(p.now)) != p.now")
mutant(erase erase_wide "swap:words_.compare_swap(p.at, p.now, Slot::erased_word(p.now)) == p.now")

# What a key costs, counted.
oriel_gpu_program(on-processors-touches ON_PROCESSORS LIBS oriel_test_cuda SOURCES ${tests}/hash_map/touches.cu)
add_dependencies(gpu-on-processors on-processors-touches)
add_test(NAME gpu.on_processors.touches COMMAND on-processors-touches)
set_tests_properties(gpu.on_processors.touches PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77)
