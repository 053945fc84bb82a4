{
  "targets": [
    {
      "target_name": "vitrine",
      "conditions": [
        ["OS=='linux'", {
          "sources": [
            "native/binding.cc",
            "native/compat/cxx.cc",
            "native/compat/strings.cc",
            "native/compat/glibc.c",
            "native/linux/confine/filter/bpf.c",
            "native/linux/notify/caller/caller.c",
            "native/linux/notify/call_table.c",
            "native/linux/limits/cgroup.c",
            "native/linux/launch/child.c",
            "native/linux/base/command.c",
            "native/linux/confine/capabilities.c",
            "native/linux/confine/confine.c",
            "native/linux/supervise/orphans.c",
            "native/linux/supervise/epoll_watches.c",
            "native/linux/core.c",
            "native/linux/notify/handlers/moves.c",
            "native/linux/notify/handlers/new_git.c",
            "native/linux/notify/handlers/notice.c",
            "native/linux/notify/caller/describe.c",
            "native/linux/limits/files.c",
            "native/linux/notify/listener.c",
            "native/linux/supervise/deadline.c",
            "native/linux/notify/dispatch.c",
            "native/linux/notify/handlers/connect.c",
            "native/linux/notify/world/own_paths.c",
            "native/linux/notify/sockets/address.c",
            "native/linux/notify/sockets/whose.c",
            "native/linux/notify/sockets/asked.c",
            "native/linux/notify/sockets/connect.c",
            "native/linux/notify/sockets/serving.c",
            "native/linux/notify/sockets/udp.c",
            "native/linux/notify/sockets/own_unix.c",
            "native/linux/notify/sockets/unix_sockets.c",
            "native/linux/notify/world/world.c",
            "native/linux/notify/handlers/path.c",
            "native/linux/notify/handlers/workspace_ops.c",
            "native/linux/workspace/workspace.c",
            "native/linux/workspace/spot.c",
            "native/linux/workspace/git_config.c",
            "native/linux/workspace/other_names.c",
            "native/linux/notify/handlers/processes.c",
            "native/linux/confine/ruleset.c",
            "native/linux/launch/launcher.c",
            "native/linux/limits/monitor.c",
            "native/linux/confine/places/path_tree.c",
            "native/linux/notify/notifiers.c",
            "native/linux/supervise/lifecycle.c",
            "native/linux/notify/caller/resolve.c",
            "native/linux/base/files.c",
            "native/linux/notify/caller/place.c",
            "native/linux/confine/confinement.c",
            "native/linux/supervise/event_loop.c",
            "native/linux/notify/handlers/private_files.c",
            "native/linux/base/empty.c",
            "native/linux/private_tmp/directory.c",
            "native/linux/confine/probe.c",
            "native/linux/base/procfs.c",
            "native/linux/confine/places/places.c",
            "native/linux/confine/places/grant.c",
            "native/linux/confine/places/search.c",
            "native/linux/confine/filter/seccomp.c",
            "native/linux/confine/filter/seccomp_rules.c",
            "native/linux/supervise/session.c",
            "native/linux/supervise/streams.c",
            "native/linux/supervise/supervisor.c",
            "native/linux/supervise/terminal.c",
            "native/linux/base/threads.c",
            "native/linux/limits/usage.c",
            "native/linux/notify/handlers/waiting.c",
            "native/linux/watcher/host_side.c",
            "native/linux/confine/places/dir_snapshot.c"
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
              "inputs": ["native/linux/watcher/main.c", "native/linux/base/watched.h", "native/linux/base/kernel.h", "native/embed-watcher.mjs"],
              "outputs": ["<(INTERMEDIATE_DIR)/watcher_image.h"],
              "action": ["node", "native/embed-watcher.mjs", "native/linux/watcher/main.c", "<(INTERMEDIATE_DIR)/watcher_image.h"]
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
