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
            "native/linux/answer.c",
            "native/linux/bpf.c",
            "native/linux/bpf_tree.c",
            "native/linux/caller.c",
            "native/linux/calls.c",
            "native/linux/cgroup.c",
            "native/linux/cgroup_base.c",
            "native/linux/cgroup_files.c",
            "native/linux/clone.c",
            "native/linux/command.c",
            "native/linux/confine.c",
            "native/linux/core_dumps.c",
            "native/linux/orphans.c",
            "native/linux/watches.c",
            "native/linux/core.c",
            "native/linux/denials.c",
            "native/linux/describe.c",
            "native/linux/disk.c",
            "native/linux/docket.c",
            "native/linux/ending.c",
            "native/linux/gauges.c",
            "native/linux/file_size.c",
            "native/linux/inodes.c",
            "native/linux/judge.c",
            "native/linux/judge_bind.c",
            "native/linux/judge_connect.c",
            "native/linux/judge_path.c",
            "native/linux/judge_signal.c",
            "native/linux/idle.c",
            "native/linux/keeper.c",
            "native/linux/landlock.c",
            "native/linux/launcher.c",
            "native/linux/look.c",
            "native/linux/lookups.c",
            "native/linux/members.c",
            "native/linux/meter.c",
            "native/linux/name_service.c",
            "native/linux/nameless.c",
            "native/linux/names.c",
            "native/linux/notices.c",
            "native/linux/notifier.c",
            "native/linux/orders.c",
            "native/linux/phases.c",
            "native/linux/place.c",
            "native/linux/policy.c",
            "native/linux/poller.c",
            "native/linux/private_acts.c",
            "native/linux/private_empty.c",
            "native/linux/private_files.c",
            "native/linux/private_tmp.c",
            "native/linux/probe.c",
            "native/linux/processes.c",
            "native/linux/reads.c",
            "native/linux/reads_grant.c",
            "native/linux/reads_linked.c",
            "native/linux/reads_mark.c",
            "native/linux/reads_search.c",
            "native/linux/seccomp.c",
            "native/linux/seccomp_rules.c",
            "native/linux/seccomp_select.c",
            "native/linux/session.c",
            "native/linux/spares.c",
            "native/linux/spawn.c",
            "native/linux/streams.c",
            "native/linux/supervisor.c",
            "native/linux/syscalls.c",
            "native/linux/take.c",
            "native/linux/terminal.c",
            "native/linux/threads.c",
            "native/linux/usage.c",
            "native/linux/waiters.c",
            "native/linux/watch.c",
            "native/linux/watched.c"
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
              "inputs": ["native/linux/watcher.c", "native/linux/watcher_cgroups.c", "native/linux/watcher.h", "native/linux/watcher_cgroups.h", "native/linux/watcher_system.h", "native/embed-watcher.mjs"],
              "outputs": ["<(INTERMEDIATE_DIR)/watcher_image.h"],
              "action": ["node", "native/embed-watcher.mjs", "native/linux/watcher.c", "native/linux/watcher_cgroups.c", "<(INTERMEDIATE_DIR)/watcher_image.h"]
            }
          ],
          "cflags!": ["-O3"],
          "cflags": ["-O2", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"],
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
