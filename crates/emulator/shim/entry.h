// What the entry points that `text::rewrite` adds read: the position of a thread, as the emulator writes it.
struct msl_thread {
    uint grid[3];           // thread_position_in_grid
    uint local_[3];         // thread_position_in_threadgroup
    uint group[3];          // threadgroup_position_in_grid
    uint group_size[3];     // threads_per_threadgroup
    uint dispatch_size[3];  // dispatch_threads_per_threadgroup
    uint groups[3];         // threadgroups_per_grid
    uint grid_size[3];      // threads_per_grid
    uint index;             // thread_index_in_threadgroup
    uint lane;              // thread_index_in_simdgroup
    uint simdgroup;         // simdgroup_index_in_threadgroup
    uint simdgroups;        // simdgroups_per_threadgroup
};

#if MSL_PTX
// One of the threads of a grid whose threadgroups have one size.
MSL_F msl_thread msl_here() {
    msl_thread at;
    at.local_[0] = __nvvm_read_ptx_sreg_tid_x();
    at.local_[1] = __nvvm_read_ptx_sreg_tid_y();
    at.local_[2] = __nvvm_read_ptx_sreg_tid_z();
    at.group[0] = __nvvm_read_ptx_sreg_ctaid_x();
    at.group[1] = __nvvm_read_ptx_sreg_ctaid_y();
    at.group[2] = __nvvm_read_ptx_sreg_ctaid_z();
    at.group_size[0] = __nvvm_read_ptx_sreg_ntid_x();
    at.group_size[1] = __nvvm_read_ptx_sreg_ntid_y();
    at.group_size[2] = __nvvm_read_ptx_sreg_ntid_z();
    at.groups[0] = __nvvm_read_ptx_sreg_nctaid_x();
    at.groups[1] = __nvvm_read_ptx_sreg_nctaid_y();
    at.groups[2] = __nvvm_read_ptx_sreg_nctaid_z();
    for (int i = 0; i < 3; i++) {
        at.dispatch_size[i] = at.group_size[i];
        at.grid[i] = at.group[i] * at.group_size[i] + at.local_[i];
        at.grid_size[i] = at.groups[i] * at.group_size[i];
    }
    at.index = at.local_[0] + at.group_size[0] * (at.local_[1] + at.group_size[1] * at.local_[2]);
    at.lane = at.index % 32;
    at.simdgroup = at.index / 32;
    at.simdgroups = (at.group_size[0] * at.group_size[1] * at.group_size[2] + 31) / 32;
    return at;
}
#endif
