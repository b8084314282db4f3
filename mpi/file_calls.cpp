// The host's calls of files after which a process may rely on what others did before: those that
// are collective, and those that find what others have written.
#include "mpi/ordering_call.hpp"

// Where the file's pointer is, or at a place; `buffer`: its type.
#define ORIEL_FILE_CALL(name, count, buffer)                                                 \
  ORIEL_ORDERING_CALL(name, (MPI_File f, buffer b, count n, MPI_Datatype t, MPI_Status * s), \
                      (f, b, n, t, s))
#define ORIEL_FILE_CALL_AT(name, count, buffer)                                             \
  ORIEL_ORDERING_CALL(                                                                      \
      name, (MPI_File f, MPI_Offset at, buffer b, count n, MPI_Datatype t, MPI_Status * s), \
      (f, at, b, n, t, s))

// In one width of counts.
#define ORIEL_FILE_CALLS(suffix, count)                            \
  ORIEL_FILE_CALL(File_read##suffix, count, void*);                \
  ORIEL_FILE_CALL(File_read_all##suffix, count, void*);            \
  ORIEL_FILE_CALL(File_read_shared##suffix, count, void*);         \
  ORIEL_FILE_CALL(File_read_ordered##suffix, count, void*);        \
  ORIEL_FILE_CALL_AT(File_read_at##suffix, count, void*);          \
  ORIEL_FILE_CALL_AT(File_read_at_all##suffix, count, void*);      \
  ORIEL_FILE_CALL(File_write_all##suffix, count, const void*);     \
  ORIEL_FILE_CALL(File_write_ordered##suffix, count, const void*); \
  ORIEL_FILE_CALL_AT(File_write_at_all##suffix, count, const void*)

ORIEL_FILE_CALLS(, int);
#if MPI_VERSION >= 4
ORIEL_FILE_CALLS(_c, MPI_Count);
#endif
ORIEL_ORDERING_CALL(File_read_all_end, (MPI_File f, void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_read_at_all_end, (MPI_File f, void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_read_ordered_end, (MPI_File f, void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_write_all_end, (MPI_File f, const void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_write_at_all_end, (MPI_File f, const void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_write_ordered_end, (MPI_File f, const void* b, MPI_Status* s), (f, b, s));
ORIEL_ORDERING_CALL(File_open, (MPI_Comm c, const char* name, int mode, MPI_Info info, MPI_File* f),
                    (c, name, mode, info, f));
ORIEL_ORDERING_CALL(File_close, (MPI_File * f), (f));
ORIEL_ORDERING_CALL(File_sync, (MPI_File f), (f));
ORIEL_ORDERING_CALL(File_preallocate, (MPI_File f, MPI_Offset size), (f, size));
ORIEL_ORDERING_CALL(File_set_size, (MPI_File f, MPI_Offset size), (f, size));
ORIEL_ORDERING_CALL(File_get_size, (MPI_File f, MPI_Offset* size), (f, size));
ORIEL_ORDERING_CALL(File_set_view,
                    (MPI_File f, MPI_Offset at, MPI_Datatype t, MPI_Datatype of_file,
                     const char* form, MPI_Info info),
                    (f, at, t, of_file, form, info));
ORIEL_ORDERING_CALL(File_seek_shared, (MPI_File f, MPI_Offset at, int from), (f, at, from));
ORIEL_ORDERING_CALL(File_get_position_shared, (MPI_File f, MPI_Offset* at), (f, at));
