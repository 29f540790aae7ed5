// What the entry points that `text::rewrite` adds read: the position of a thread, as the emulator writes it.
struct msl_thread {
    uint grid[3];           // thread_position_in_grid
    uint local_[3];         // thread_position_in_threadgroup
    uint group[3];          // threadgroup_position_in_grid
    uint group_size[3];     // threads_per_threadgroup
    uint groups[3];         // threadgroups_per_grid
    uint grid_size[3];      // threads_per_grid
    uint index;             // thread_index_in_threadgroup
    uint lane;              // thread_index_in_simdgroup
    uint simdgroup;         // simdgroup_index_in_threadgroup
    uint simdgroups;        // simdgroups_per_threadgroup
};
