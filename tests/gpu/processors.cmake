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
    string(REPLACE ":" "." test gpu.on_processors.${name}.${schedule})
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT
      "ORIEL_TEST_SCHEDULE=${schedule};ORIEL_TEST_DEVICES=1;ORIEL_MEMORY_ALLOC_KINDS=mpi,system,cuda;ORIEL_TIMEOUT=60;LD_LIBRARY_PATH=$<TARGET_FILE_DIR:oriel_test_cuda>")
  endforeach()
endfunction()

on_processors(kernels ${tests}/gpu/kernels.cu TWO_RANKS SCHEDULES 1 1:late)
# The same on two devices, where no link has native atomics.
add_test(NAME gpu.on_processors.kernels.unlinked
         COMMAND ${tests}/gpu/two_ranks.sh $<TARGET_FILE:on-processors-kernels>)
set_tests_properties(gpu.on_processors.kernels.unlinked PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT
  "ORIEL_TEST_SCHEDULE=0;ORIEL_TEST_DEVICES=2;ORIEL_TEST_REFUSE=peer_atomics,host_atomics;ORIEL_MEMORY_ALLOC_KINDS=mpi,system,cuda;ORIEL_TIMEOUT=60;LD_LIBRARY_PATH=$<TARGET_FILE_DIR:oriel_test_cuda>")
on_processors(operations ${tests}/device/gpu_operations.cu SCHEDULES 1 1:late)
on_processors(bandwidth ${tests}/device/gpu_bandwidth.cu SCHEDULES 1:late)
on_processors(atomics ${tests}/device/gpu_atomics.cu SCHEDULES 2 1:late)
on_processors(hash_map ${tests}/hash_map/gpu_test.cu SCHEDULES 1 2 3 1:late)

# Every operation of a table on device memory, against an oracle: some seeds here, all of a thousand by
# `schedules --seeds 1000`. Each step that is made weaker must fail under one of 400.
oriel_gpu_program(on-processors-schedules ON_PROCESSORS SOURCES ${tests}/hash_map/schedules.cu)
# Views and their ring, with the host's part in the schedule too: likewise.
oriel_gpu_program(on-processors-ring-schedules ON_PROCESSORS LIBS oriel
                  SOURCES ${tests}/device/ring_schedules.cu)
# Element-wise atomics.
oriel_gpu_program(on-processors-atomic-schedules ON_PROCESSORS LIBS oriel
                  SOURCES ${tests}/device/atomic_schedules.cu)
add_dependencies(gpu-on-processors on-processors-schedules on-processors-ring-schedules
                 on-processors-atomic-schedules)
# schedules(<program> <name> <argument>…), mutant(<program> <name> <mix> <kind:text> [<argument>…])
function(schedules program name)
  set(test gpu.on_processors.${program}.${name})
  add_test(NAME ${test} COMMAND on-processors-${program} ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS gpu TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
function(mutant program name mix weakened)
  schedules(${program} without_${name} --mix ${mix} --seeds 400 --expect-failure ${ARGN})
  string(REPLACE ";" "\\;" weakened "${weakened}")  # ENVIRONMENT is a list
  set_tests_properties(gpu.on_processors.${program}.without_${name} PROPERTIES ENVIRONMENT
                       "ORIEL_TEST_MUTANT=${weakened}")
endfunction()
schedules(schedules right --seeds 60)
schedules(schedules lockstep --seeds 60 --policy lockstep)  # warps without progress of each lane's own
mutant(schedules acquire insert_general "acquire:return device::load_acquire(base_ + i)")
mutant(schedules release insert_general "release:device::store_release(base_ + i, w)")
mutant(schedules sight insert_general "acquire:return words_.load(slot) != now")
mutant(schedules filled insert_general "release:if (p.busy) words_.publish(p.at, p.now)")
mutant(schedules assigned assign_wide "release:words_.publish(p.at, Slot::assigned(p.now))")
mutant(schedules erased erase "release:words_.publish(p.at, Slot::erased_word(p.now))")
mutant(schedules addition add_general "update:words_.add(p.at + Slot::value_at, operand.word[0])")
# Each order() of table_part.hpp.
mutant(schedules reread assign_wide "fence:words_.order();  // the value is read before its state")
mutant(schedules locked assign_wide "fence:words_.order();  // no thread sees a new word" --policy late)
mutant(schedules held erase "fence:words_.order();  // the value is read and written once" --policy late)
mutant(schedules seal_of_own strangers "fence:words_.order();  // the seal is read once" --policy late)
mutant(schedules tombstone_again insert_again "fence:words_.order();  // the seal is read before" --policy late)
mutant(schedules seal_of_busy strangers "fence:words_.order();  // it is read under `busy`" --policy late --from 131)
# Its compare-and-swaps.
mutant(schedules return_again add_again "swap:words_.compare_swap(slot, now, Slot::returning(now)) != now")
mutant(schedules claim insert "swap:now = words_.compare_swap(slot, Slot::empty, busy ?")
mutant(schedules return erase "swap:words_.compare_swap(slot, now, Slot::returning(now)) != now")
mutant(schedules revisit erase "swap:words_.compare_swap(slot, now, Slot::busy) != now")
mutant(schedules hold erase "swap:words_.compare_swap(p.at, p.now, Slot::busy) != p.now")
mutant(schedules change add "swap:words_.compare_swap(at, before, next(before))")
mutant(schedules lock assign_wide "swap:words_.compare_swap(p.at, p.now, Slot::locked(p.now)) != p.now")
mutant(schedules mark once_dense "swap:words_.compare_swap(marks, now, now | mine)")
mutant(schedules erase erase_wide "swap:words_.compare_swap(p.at, p.now, Slot::erased_word(p.now)) == p.now")
# What bulk operations count.
mutant(schedules failed_finds failures "update:if (answer > slot_answer::present) atomicAdd(failures, 1ull)")
mutant(schedules failed_writes failures
       "update:work(table, i) > slot_answer::present) atomicAdd(failures, 1ull)")

schedules(schedules late --seeds 30 --policy late)  # what is written reaches others late

# What a key costs, counted.
oriel_gpu_program(on-processors-touches ON_PROCESSORS LIBS oriel_test_cuda SOURCES ${tests}/hash_map/touches.cu)
add_dependencies(gpu-on-processors on-processors-touches)
add_test(NAME gpu.on_processors.touches COMMAND on-processors-touches)
set_tests_properties(gpu.on_processors.touches PROPERTIES LABELS gpu TIMEOUT 120 SKIP_RETURN_CODE 77)

schedules(ring-schedules right --seeds 15)
schedules(ring-schedules late --seeds 8 --policy late)
mutant(ring-schedules ticket requests "update:ticket = fetch_add(as_word(ring.tickets), 1)")
mutant(ring-schedules turn requests "acquire:turn = load_acquire(as_word(&slot.turn))")
mutant(ring-schedules filled signals "release:turn_of(lap, slot_state::filled))")
mutant(ring-schedules freed requests "release:turn_of(lap + 1, slot_state::free))" --from 101)
mutant(ring-schedules test_of_free requests "yes:if (!filled && turn == turn_of(lap, slot_state::free))")
mutant(ring-schedules test_of_answered requests
       "yes:} else if (filled && turn == turn_of(lap, slot_state::answered))")
mutant(ring-schedules waiting_for_answers requests "yes:submitted = call.request.answered == 0")
mutant(ring-schedules end_of_requests closing "no:looks_between_checks == 0 && is_closed(state)) break")
mutant(ring-schedules end_of_waits closing "no:is_closed(state) ? closing_failure(state) : errc::success")
mutant(ring-schedules end_of_notices closing "no:is_closed(state) ? closing_failure(state) : refusal_of")
mutant(ring-schedules fence orders "fence:  fence();  // of fence and quiet")
mutant(ring-schedules what_is_out orders "no:load_acquire(as_word(&view.state->complete)) < taken")
mutant(ring-schedules complete long_gets "acquire:load_acquire(as_word(&view.state->complete)) < taken")
mutant(ring-schedules notified signals "acquire:compares(value_of<T>(load_acquire(at)), how, value)")
mutant(ring-schedules sync orders "fence:void sync() const noexcept { detail::device::fence(); }")
mutant(ring-schedules polled signals
       "acquire:load_acquire(detail::device::counter_word(view_, counter))")
mutant(ring-schedules refused refusals "acquire:load_acquire(counter + counter_refused)")
mutant(ring-schedules block_barrier block_signals
       "barrier:if constexpr (std::is_same_v<S, scope::block>) __syncthreads();")
mutant(ring-schedules warp_barrier warp_signals
       "barrier:if constexpr (std::is_same_v<S, scope::warp>) __syncwarp();")
mutant(ring-schedules sight_of_leader warp_signals "barrier:sync(s);  // a shuffle orders nothing"
       --policy late)

schedules(atomic-schedules right --seeds 30)
schedules(atomic-schedules late --seeds 15 --policy late)
mutant(atomic-schedules update byte_sums "swap:compare_exchange(place.word, around, place.with(around, next(before)))")
mutant(atomic-schedules narrow_swap byte_swaps "swap:compare_exchange(place.word, around, place.with(around, bits))")
mutant(atomic-schedules swap word_swaps "swap:compare_exchange(reinterpret_cast<word_t<sizeof(T)>*>(target), want, bits)")
mutant(atomic-schedules exchange word_tokens "update:exchange_word(reinterpret_cast<word_t<sizeof(T)>*>(target), bits)")
mutant(atomic-schedules sum word_sums "update:fetch_add(word, bits_of(operand))")
mutant(atomic-schedules real_sum real_sums "update:atomicAdd_system(target, operand)")
mutant(atomic-schedules and bits "update:fetch_and(word, bits_of(operand))")
mutant(atomic-schedules or bits "update:fetch_or(word, bits_of(operand))")
mutant(atomic-schedules xor bits "update:fetch_xor(word, bits_of(operand))")
mutant(atomic-schedules gate gates "fence:device::fence();  // between `begun` and `withdrawn`")

# Programs as users of CUDA write them, compiled as they compile theirs: on another runtime alone.
# They are linked with CUDA's own library, which a toolkit may lack.
cmake_path(GET ORIEL_CUDART_STATIC PARENT_PATH toolkit)
if(NOT EXISTS ${toolkit}/libcudart.so)
  add_test(NAME gpu.on_processors.user COMMAND sh -c "echo 'no libcudart.so in ${toolkit}'; exit 77")
  set_tests_properties(gpu.on_processors.user PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 TIMEOUT 10)
  return()
endif()
set(plain)
if(NOT ORIEL_ZSTD OR NOT ORIEL_ZSTD_INCLUDE_DIR)
  set(plain --no-compress)
endif()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/user)
foreach(program vector_add reduction histogram streams)
  set(source ${tests}/drivers/programs/${program}.cu)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/user/${program})
  add_custom_command(OUTPUT ${binary}
    COMMAND ${ORIEL_NVCC} -ccbin ${CMAKE_CXX_COMPILER} --cudart shared ${plain} -o ${binary} ${source}
    DEPENDS ${source} ${tests}/drivers/programs/check.cuh COMMENT "Compiling ${program}.cu" VERBATIM)
  add_custom_target(on-processors-user-${program} ALL DEPENDS ${binary})
  add_dependencies(gpu-on-processors on-processors-user-${program})
  foreach(schedule 0 1 2:late 1:lockstep)
    string(REPLACE ":" "." test gpu.on_processors.user_${program}.${schedule})
    add_test(NAME ${test} COMMAND ${binary})
    set_tests_properties(${test} PROPERTIES LABELS gpu TIMEOUT 120 ENVIRONMENT
      "ORIEL_TEST_SCHEDULE=${schedule};LD_LIBRARY_PATH=$<TARGET_FILE_DIR:oriel_test_cudart>:$<TARGET_FILE_DIR:oriel_test_cuda>")
  endforeach()
endforeach()
set_property(TEST gpu.on_processors.user_vector_add.0 PROPERTY PASS_REGULAR_EXPRESSION
             "(block [01] of 2:  4.50, word, x, 1099511627776%\n)(block.*\n)right")
