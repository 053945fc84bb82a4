{
  "targets": [
    {
      "target_name": "vitrine",
      "conditions": [
        ["OS=='linux'", {
          "sources": [
            "native/binding.cc",
            "native/compat/cxx.cc",
            "native/compat/glibc.c",
            "native/compat/strings.cc",
            "native/linux/notify/reply.c",
            "native/linux/confine/filter/bpf.c",
            "native/linux/confine/filter/bpf_tree.c",
            "native/linux/notify/caller/caller.c",
            "native/linux/notify/call_table.c",
            "native/linux/limits/cgroup.c",
            "native/linux/limits/cgroup_base.c",
            "native/linux/limits/cgroup_files.c",
            "native/linux/launch/clone3.c",
            "native/linux/base/command.c",
            "native/linux/confine/confine.c",
            "native/linux/confine/core_dumps.c",
            "native/linux/supervise/orphans.c",
            "native/linux/supervise/epoll_watches.c",
            "native/linux/core.c",
            "native/linux/notify/denials.c",
            "native/linux/notify/caller/describe.c",
            "native/linux/limits/disk_usage.c",
            "native/linux/notify/listener.c",
            "native/linux/supervise/deadline.c",
            "native/linux/limits/checks.c",
            "native/linux/notify/fsize.c",
            "native/linux/confine/reads/inode_set.c",
            "native/linux/notify/dispatch.c",
            "native/linux/notify/handlers/bind.c",
            "native/linux/notify/handlers/connect.c",
            "native/linux/notify/handlers/path.c",
            "native/linux/notify/handlers/workspace_ops.c",
            "native/linux/workspace/workspace.c",
            "native/linux/notify/handlers/signal.c",
            "native/linux/notify/idle_listeners.c",
            "native/linux/supervise/watcher_respawn.c",
            "native/linux/confine/landlock.c",
            "native/linux/launch/launcher.c",
            "native/linux/lookup/worker.c",
            "native/linux/lookup/pool.c",
            "native/linux/limits/process_set.c",
            "native/linux/limits/monitor.c",
            "native/linux/notify/handlers/nss.c",
            "native/linux/limits/unlinked_files.c",
            "native/linux/confine/reads/path_tree.c",
            "native/linux/confine/reads/inotify.c",
            "native/linux/notify/notify_threads.c",
            "native/linux/notify/workspace_server.c",
            "native/linux/base/mailbox.c",
            "native/linux/base/paths.c",
            "native/linux/supervise/lifecycle.c",
            "native/linux/notify/caller/resolve.c",
            "native/linux/confine/confinement.c",
            "native/linux/base/event_loop.c",
            "native/linux/notify/handlers/private_ops.c",
            "native/linux/private_tmp/empty.c",
            "native/linux/notify/handlers/private_gate.c",
            "native/linux/private_tmp/directory.c",
            "native/linux/confine/probe.c",
            "native/linux/base/procfs.c",
            "native/linux/confine/reads/reads.c",
            "native/linux/confine/reads/grant.c",
            "native/linux/confine/reads/hardlinks.c",
            "native/linux/confine/reads/resolve.c",
            "native/linux/confine/reads/search.c",
            "native/linux/confine/filter/seccomp.c",
            "native/linux/confine/filter/seccomp_rules.c",
            "native/linux/confine/filter/seccomp_select.c",
            "native/linux/supervise/session.c",
            "native/linux/confine/confinement_pool.c",
            "native/linux/launch/spawn.c",
            "native/linux/supervise/streams.c",
            "native/linux/supervise/supervisor.c",
            "native/linux/confine/filter/syscalls.c",
            "native/linux/notify/caller/borrow_fd.c",
            "native/linux/supervise/terminal.c",
            "native/linux/base/threads.c",
            "native/linux/limits/usage.c",
            "native/linux/notify/handlers/fifo_wait.c",
            "native/linux/notify/handlers/flock_wait.c",
            "native/linux/watcher/host_side.c",
            "native/linux/confine/reads/dir_snapshot.c"
          ],
          "include_dirs": [
            "<!(node -p \"require('node-addon-api').include_dir\")",
            "<(INTERMEDIATE_DIR)"
          ],
          "defines": ["NAPI_VERSION=8", "NAPI_DISABLE_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
          "defines!": ["_FILE_OFFSET_BITS=64", "_LARGEFILE_SOURCE"],
          "actions": [
            {
              "action_name": "embed_watcher",
              "inputs": ["native/linux/watcher/main.c", "native/linux/watcher/cgroups.c", "native/linux/base/watch_table.h", "native/linux/watcher/cgroups.h", "native/linux/base/kernel.h", "native/linux/base/raw_syscalls.h", "native/linux/base/sweep.h", "native/embed-watcher.mjs"],
              "outputs": ["<(INTERMEDIATE_DIR)/watcher_image.h"],
              "action": ["node", "native/embed-watcher.mjs", "native/linux/watcher/main.c", "native/linux/watcher/cgroups.c", "<(INTERMEDIATE_DIR)/watcher_image.h"]
            }
          ],
          "cflags!": ["-O3"],
          "cflags": ["-iquote", "<(module_root_dir)/native", "-iquote", "<(module_root_dir)/native/linux", "-O2", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"],
          "cflags_c": ["-std=gnu11"],
          "cflags_cc": ["-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wno-unused-parameter", "-Wno-missing-field-initializers"],
          "cflags_cc!": ["-fexceptions"],
          "libraries": ["-lpthread"],
          "ldflags": ["-Wl,--version-script=<(module_root_dir)/native/compat/exports.map", "-Wl,--gc-sections", "-Wl,-z,nodelete", "-Wl,-z,relro,-z,now", "-Wl,--as-needed", "-static-libstdc++", "-static-libgcc"]
        }],
        ["OS=='win'", {
          "sources": [
            "native/binding.cc",
            "native/windows/command.cc",
            "native/windows/core.cc",
            "native/windows/low_integrity.cc",
            "native/windows/pipe.cc",
            "native/windows/start.cc"
          ],
          "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
          "defines": [
            "NAPI_VERSION=8",
            "NAPI_DISABLE_CPP_EXCEPTIONS",
            "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
            "NODE_ADDON_API_DISABLE_DEPRECATED",
            "_WIN32_WINNT=0x0A00"
          ],
          "libraries": ["advapi32.lib"],
          "msvs_settings": {
            "VCCLCompilerTool": { "RuntimeLibrary": 0, "AdditionalOptions": ["/std:c++17"] }
          }
        }],
        ["OS!='linux' and OS!='win'", { "type": "none" }]
      ]
    }
  ]
}
