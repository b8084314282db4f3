# Run by the tests that compile device code: COMMAND, a list, must succeed and say nothing.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT result EQUAL 0 OR NOT text STREQUAL "")
  message(FATAL_ERROR "${COMMAND}\n${text}")
endif()
