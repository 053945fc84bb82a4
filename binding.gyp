{
  "targets": [
    {
      "target_name": "vitrine",
      "conditions": [
        ["OS=='linux'", {
          "sources": [
            "native/binding.cc",
            "native/linux/answer.c",
            "native/linux/bpf.c",
            "native/linux/bpf_tree.c",
            "native/linux/caller.c",
            "native/linux/calls.c",
            "native/linux/command.c",
            "native/linux/denials.c",
            "native/linux/describe.c",
            "native/linux/docket.c",
            "native/linux/judge.c",
            "native/linux/judge_path.c",
            "native/linux/judge_signal.c",
            "native/linux/landlock.c",
            "native/linux/launcher.c",
            "native/linux/name_service.c",
            "native/linux/notifier.c",
            "native/linux/orders.c",
            "native/linux/phases.c",
            "native/linux/place.c",
            "native/linux/policy.c",
            "native/linux/poller.c",
            "native/linux/probe.c",
            "native/linux/seccomp.c",
            "native/linux/seccomp_rules.c",
            "native/linux/seccomp_select.c",
            "native/linux/session.c",
            "native/linux/spawn.c",
            "native/linux/streams.c",
            "native/linux/supervisor.c",
            "native/linux/syscalls.c",
            "native/linux/threads.c",
            "native/linux/watch.c"
          ],
          "include_dirs": [
            "<!(node -p \"require('node-addon-api').include_dir\")",
            "<(INTERMEDIATE_DIR)"
          ],
          "defines": ["NAPI_VERSION=8", "NAPI_DISABLE_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
          "actions": [
            {
              "action_name": "embed_watcher",
              "inputs": ["native/linux/watcher.c", "native/linux/watcher.h", "native/embed-watcher.mjs"],
              "outputs": ["<(INTERMEDIATE_DIR)/watcher_image.h"],
              "action": ["node", "native/embed-watcher.mjs", "native/linux/watcher.c", "<(INTERMEDIATE_DIR)/watcher_image.h"]
            }
          ],
          "cflags": ["-O2", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"],
          "cflags_c": ["-std=gnu11"],
          "cflags_cc": ["-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-Wno-unused-parameter", "-Wno-missing-field-initializers"],
          "cflags_cc!": ["-fexceptions"],
          "libraries": ["-lpthread"],
          "ldflags": ["-Wl,-z,nodelete", "-Wl,-z,relro,-z,now", "-Wl,--as-needed", "-static-libstdc++", "-static-libgcc"]
        }],
        ["OS!='linux'", { "type": "none" }]
      ]
    }
  ]
}
