#include <oriel/oriel.h>
#include <stddef.h>

int main(void) {
  oriel_session* session = NULL;
  oriel_team* world = NULL;
  int code = oriel_session_open(NULL, &session);
  if (code == ORIEL_SUCCESS) code = oriel_session_world(session, &world);
  if (code == ORIEL_SUCCESS) code = oriel_team_barrier(world);
  oriel_team_free(world);
  oriel_session_close(session);
  return code;
}
