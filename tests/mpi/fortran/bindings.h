! The three ways in which Fortran programs see MPI: the same tests are compiled for each of them.
#if defined(BY_MPI_F08)
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define BINDING 'mpi_f08'
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define ERRHANDLER type(MPI_Errhandler)
#define GROUP type(MPI_Group)
#define INFO type(MPI_Info)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define WINDOW type(MPI_Win)
#else
#if defined(BY_MPI)
#define USE_MPI use mpi
#define INCLUDE_MPI
#define BINDING 'mpi'
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#define BINDING 'mpif.h'
#endif
#define COMMUNICATOR integer
#define DATATYPE integer
#define ERRHANDLER integer
#define GROUP integer
#define INFO integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define WINDOW integer
#endif
