#!/bin/sh
# Runs one rank of a job: that of ORIEL_TEST_ABSENT does not find the vendors' drivers.
if [ "$ORIEL_RANK" = "$ORIEL_TEST_ABSENT" ]; then
  unset LD_LIBRARY_PATH ZE_ENABLE_ALT_DRIVERS
fi
exec "$@"
