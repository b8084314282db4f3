/* The program's beginning and end, and what it can ask about itself. */
#ifndef ORIEL_SHMEM_SETUP_H
#define ORIEL_SHMEM_SETUP_H

#ifdef __cplusplus
extern "C" {
#endif

/* A second call while the library is in use changes nothing. */
void shmem_init(void);
/* Provides the level that is requested. */
int shmem_init_thread(int requested, int* provided);
void shmem_query_thread(int* provided);
/* A program that returns from main or calls exit(0) without it calls it so; one that exits with
 * another status leaves the job, and the other PEs end where they wait for it. */
void shmem_finalize(void);
void shmem_global_exit(int status);

int shmem_my_pe(void);
int shmem_n_pes(void);
void shmem_info_get_version(int* major, int* minor);
void shmem_info_get_name(char* name);

int shmem_pe_accessible(int pe);
int shmem_addr_accessible(const void* addr, int pe);
/* Not null for addresses in the symmetric heap of PEs on this node, and for all of this PE. */
void* shmem_ptr(const void* dest, int pe);

/* For tools that stand before the library. */
void shmem_pcontrol(int level, ...);

/* Names of earlier specifications. */
void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
int my_pe(void);
int num_pes(void);
/* Caches are coherent: these do nothing. */
void shmem_set_cache_inv(void);
void shmem_set_cache_line_inv(void* dest);
void shmem_clear_cache_inv(void);
void shmem_clear_cache_line_inv(void* dest);
void shmem_udcflush(void);
void shmem_udcflush_line(void* dest);

#ifdef __cplusplus
}
#endif
#endif
