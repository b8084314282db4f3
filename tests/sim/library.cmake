# The whole library on pretended systems: its sources once more, instrumented, but for what of session/ speaks with
# launchers, sockets and the machine, for which tests/sim/job has others; and libfabric, which is tests/sim/fabric.

# What of a floor is simulated, as absolute paths: `left_out` are regular expressions.
function(oriel_simulated_sources floor result)
  get_target_property(own oriel_${floor} SOURCES)
  foreach(pattern ${ARGN})
    list(FILTER own EXCLUDE REGEX ${pattern})
  endforeach()
  list(TRANSFORM own PREPEND ${PROJECT_SOURCE_DIR}/${floor}/)
  set(${result} ${${result}} ${own} PARENT_SCOPE)
endfunction()

# libfabric's headers, and nothing of the library.
set(libfabric_headers $<TARGET_PROPERTY:PkgConfig::libfabric,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(oriel_sim_fabric STATIC fabric/descriptors.cpp fabric/info.cpp fabric/network.cpp fabric/provider.cpp
  fabric/traits.cpp fabric/wires.cpp)
# Tables of functions, of which a provider has some.
set_source_files_properties(fabric/provider.cpp PROPERTIES COMPILE_OPTIONS -Wno-missing-field-initializers)
target_include_directories(oriel_sim_fabric SYSTEM PUBLIC ${libfabric_headers})
target_link_libraries(oriel_sim_fabric PRIVATE oriel_flags PUBLIC oriel_sim)
target_link_options(oriel_sim_fabric INTERFACE -Wl,--wrap=ppoll)

oriel_simulated_sources(session sources "^bootstrap/(admission|announcing|bootstrap|connection|gathering|given_tree|handshake|joining|linking|named_place|peer_failure|pmi|proof|rendezvous|socket_address)"
  "^node/(detector_|failure_detector|launcher_cores|link_message|listener|liveness|news_log|peer_link|topology)")
oriel_simulated_sources(transport sources "^libfabric_")  # loaded from the system
oriel_simulated_sources(atomics sources)
oriel_simulated_sources(win sources)
add_library(oriel_sim_library STATIC ${sources} job/bootstrap.cpp job/liveness.cpp
  ${PROJECT_SOURCE_DIR}/transport/libfabric_linked.cpp
  $<TARGET_OBJECTS:oriel_kinds> $<TARGET_OBJECTS:oriel_face>)
# Objects of their own: sim-scale has another for one, and its linker calls of another's functions (scale/stand_ins.cpp).
set_source_files_properties(job/bootstrap.cpp ${PROJECT_SOURCE_DIR}/session/team/collectives.cpp
  ${PROJECT_SOURCE_DIR}/session/team/shrink_board.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
oriel_simulated(oriel_sim_library)
oriel_common_headers(oriel_sim_library)
oriel_read_together(oriel_sim_library ALONE _slots)
target_link_libraries(oriel_sim_library PRIVATE oriel_flags PUBLIC oriel_sim_job oriel_sim_sync ${CMAKE_DL_LIBS})

add_library(oriel_sim_job STATIC job/interfaces.cpp job/machine.cpp job/shared_files.cpp job/society.cpp)
target_link_libraries(oriel_sim_job PRIVATE oriel_flags PUBLIC oriel_sim_fabric)
target_link_options(oriel_sim_job INTERFACE
  -Wl,--wrap=getenv,--wrap=getrandom,--wrap=get_nprocs,--wrap=sysconf,--wrap=madvise
  -Wl,--wrap=mmap,--wrap=munmap,--wrap=fcntl,--wrap=getifaddrs,--wrap=freeifaddrs)

oriel_simulated_program(sim.fabric fabric/fabric_test.cpp)
target_link_libraries(sim.fabric PRIVATE GTest::gtest GTest::gtest_main oriel_sim_library)
add_test(NAME sim.fabric COMMAND sim.fabric)
set_tests_properties(sim.fabric PROPERTIES LABELS unit TIMEOUT 120)

# What operations cost on very many nodes, compared with the model of docs/SCALING.md.
add_executable(sim-scale scale/allowed.cpp scale/event_scheduler.cpp scale/launcher.cpp
  scale/machine_model.cpp scale/main.cpp scale/meter.cpp scale/routed_network.cpp scale/scaled_job.cpp
  scale/stand_ins.cpp)
target_compile_definitions(sim-scale PRIVATE ORIEL_SIMULATED)
target_link_options(sim-scale PRIVATE -Wl,--wrap=_ZN5oriel4sync12node_barrier7centralEm
  -Wl,--wrap=_ZNK5oriel8sessions12shrink_board13has_signed_inEij,--wrap=_ZNK5oriel8sessions12shrink_board8is_readyEi
  -Wl,--wrap=_ZN5oriel8sessions16node_collectives7combineERKNS0_15collective_callEPvmPFvS5_PKvE
  -Wl,--wrap=_ZN5oriel8sessions16node_collectives9allgatherERKNS0_15collective_callEPKvmPv)
target_link_libraries(sim-scale PRIVATE oriel_sim_library oriel_flags)
set(machines flat)
pkg_check_modules(simgrid QUIET IMPORTED_TARGET simgrid)
if(simgrid_FOUND)
  target_sources(sim-scale PRIVATE scale/simgrid_machines.cpp)
  target_link_libraries(sim-scale PRIVATE PkgConfig::simgrid)
  list(APPEND machines fat-tree dragonfly)
else()
  message(STATUS "SimGrid: not found, so that sim.scale knows no fat tree and no dragonfly")
  target_sources(sim-scale PRIVATE scale/no_simgrid.cpp)
endif()
foreach(machine ${machines})
  add_test(NAME sim.scale.${machine} COMMAND sim-scale --nodes 48 --machine ${machine})
  list(APPEND scale_tests sim.scale.${machine})
endforeach()
add_executable(sim.routed_network scale/routed_network_test.cpp scale/routed_network.cpp scale/event_scheduler.cpp
  scale/machine_model.cpp scale/no_simgrid.cpp)
target_link_libraries(sim.routed_network PRIVATE GTest::gtest GTest::gtest_main oriel_sim_fabric oriel_flags)
add_test(NAME sim.routed_network COMMAND sim.routed_network)
list(APPEND scale_tests sim.routed_network)
add_test(NAME sim.scale.ranks COMMAND sim-scale --nodes 6 --ranks-a-node 5)
add_test(NAME sim.scale.refuses COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/refuses.sh $<TARGET_FILE:sim-scale>
  "--nodes 1" "--nodes 4x" "--nodes -4" "--nodes 99999999999" "--ranks-a-node 0" "--times 0" "--machine none"
  "--nodes 5000 --ranks-a-node 5000" "--leaders-only yes --ranks-a-node 8" "--nodes")
# Long gathers, whose steps are several messages.
add_test(NAME sim.scale.pieces COMMAND sim-scale --nodes 32 --ranks-a-node 400 --leaders-only yes --times 1)
# What leaders send is what they send in a job with all its ranks.
add_test(NAME sim.scale.leaders_only COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scale/compare_leaders.sh $<TARGET_FILE:sim-scale>)
set_tests_properties(${scale_tests} sim.scale.ranks sim.scale.refuses sim.scale.pieces sim.scale.leaders_only
  PROPERTIES LABELS unit TIMEOUT 120 PROCESSORS 1)
