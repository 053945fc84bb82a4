/* Proves the calls that are judged by their arguments over whole ranges of values, each against a predicate
 * written a second time. */
#include <errno.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <string.h>

#include "confine/filter/seccomp.h"
#include "test/check.h"
#include "expectations.h"
#include "simulator.h"

static struct vt_filter_options options;
static struct sock_filter filter[VT_FILTER_MAX];
static size_t length;

static void expect(int number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, int expected) {
  struct seccomp_data data = {.nr = number, .arch = options.arch, .args = {a, b, c, d}};
  struct run run = simulate(filter, length, &data);
  CHECK(run.fault == FAULT_NONE && run.action == expected_action(expected, &options),
        "%s %d network %d: %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %#" PRIx64 ": %#x", arch_name(options.arch), number,
        options.network, a, b, c, d, run.action);
}

static int on(int x86_64, int aarch64) {
  return number_on(options.arch, x86_64, aarch64);
}

static bool contains(const uint32_t *list, size_t count, uint32_t value) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == value) return true;
  return false;
}

#define CONTAINS(list, value) contains(list, sizeof(list) / sizeof *(list), value)

static const uint32_t reading[] = {
    0x5401, 0x5405, 0x540f, 0x5411, 0x5413, 0x541b, 0x5421, 0x5429, 0x5450, 0x5451, 0x5460, 0x802c542a, 0x80045430,
    0x2, 0x80086601, 0x80046601, 0x80087601, 0x80047601, 0xc020660b, 0x801c581f, 0x80111500, 0x80811501,
    0x125e, 0x1260, 0x1268, 0x127b, 0x80081272, 0xb701, 0xb702, 0xb703, 0xb704,
};
/* of a terminal of its own */
static const uint32_t settings[] = {
    0x5402, 0x5403, 0x5404, 0x5406, 0x5407,     0x5408,     0x5409,     0x540a,
    0x540b, 0x5410, 0x5414, 0x5425, 0x402c542b, 0x402c542c, 0x402c542d,
};
static const uint32_t interfaces[] = {
    0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8942, 0x8970,
};

static const uint32_t changing[] = {
    0x40086602, 0x40046602, 0x40087602, 0x40047602, 0x401c5820, 0x41009432, 0x800c6613, 0x40806685, 0x40049409,
    0x4020940d, 0xc0189436, 0xc0045877, 0xc0045878, 0xc0185879, 0x50009401, 0x50009417, 0x5000940e, 0x50009418,
    0x5000940f, 0x5000943f, 0x4008941a, 0x5412,     0x541c,     0x541d,     0x8914,     0x8916,
};

static void expect_ioctl(uint32_t command) {
  bool allowed = CONTAINS(reading, command) || (options.network && CONTAINS(interfaces, command)) ||
                 (options.terminal && CONTAINS(settings, command));
  int refused = CONTAINS(changing, command) ? TELL(ENOTTY) : ENOTTY;
  expect(on(16, 29), 1, command, 0, 0, allowed ? LET : refused);
  expect(on(16, 29), 1, UINT64_C(1) << 32 | command, 0, 0, allowed ? LET : refused);
}

/* All commands without direction and size, and around each on the list: its neighbours and every single bit
 * flipped. */
static void sweep_ioctl(void) {
  for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) expect_ioctl(changing[i]);
  for (uint32_t command = 0; command <= 0xffff; command++) expect_ioctl(command);
  for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
    expect_ioctl(reading[i] - 1);
    expect_ioctl(reading[i] + 1);
    for (int bit = 0; bit < 32; bit++) expect_ioctl(reading[i] ^ 1u << bit);
  }
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    for (int bit = 0; bit < 32; bit++) expect_ioctl(settings[i] ^ 1u << bit);
}

static void sweep_fcntl(void) {
  static const uint32_t allowed[] = {0,  1,  2,    3,    4,    5,    6,    7,    9,    11,   16,   17,  36,
                                     37, 38, 1025, 1027, 1028, 1030, 1032, 1033, 1034, 1035, 1037};
  static const uint32_t changing_fcntl[] = {8, 10, 15, 1024, 1036, 1038, 1040};
  for (uint32_t command = 0; command <= 4096; command++) {
    int refused = CONTAINS(changing_fcntl, command) ? TELL(EPERM) : EPERM;
    int expected = CONTAINS(allowed, command) ? LET : refused;
    expect(on(72, 25), 1, command, 0, 0, expected);
    expect(on(72, 25), 1, UINT64_C(0xffffffff) << 32 | command, 0, 0, expected);
    expect(on(72, 25), 1, 0x80000000u | command, 0, 0, EPERM);
  }
}

static int open_expectation(uint32_t flags) {
  bool for_ioctl_alone = (flags & 3) == 3, truncates_unwritten = (flags & 3) == 0 && (flags & 01000) != 0;
  if (for_ioctl_alone || truncates_unwritten) return TELL(EACCES);
  return (flags & 3) != 0 || (flags & 0100) != 0 ? SEE : LET;
}

static void sweep_open(void) {
  static const uint32_t high[] = {0, 0200000, 02000000, 010000000, 020200000, 0x80000000, 0xffffe000};
  for (uint32_t flags = 0; flags < 0x2000; flags++) {
    for (size_t i = 0; i < sizeof high / sizeof *high; i++) {
      uint32_t all = flags | high[i];
      expect(on(257, 56), 0, 0, all, 0, open_expectation(all));
      if (options.arch == AUDIT_ARCH_X86_64) expect(2, 0, all, 0, 0, open_expectation(all));
    }
  }
}

/* Each pair of flag bits. */
static void sweep_clone(void) {
  const uint32_t refused = 0x7e020000 | 0x8000, harmless = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000;
  for (int first = 0; first < 32; first++) {
    for (int second = 0; second < 32; second++) {
      uint32_t flags = 1u << first | 1u << second;
      expect(on(56, 220), flags, 0, 0, 0, flags & refused ? TELL(EPERM) : LET);
      expect(on(272, 97), flags, 0, 0, 0, flags & ~harmless ? TELL(EPERM) : LET);
    }
  }
}

static int socket_expectation(uint32_t domain, uint32_t type, uint32_t protocol) {
  if (domain == 16) return protocol == 0 || protocol == 4 ? LET : TELL(EACCES);
  bool internet = domain == 2 || domain == 10, plain = (type & 15) == 1 || (type & 15) == 2;
  bool known = protocol == 0 || protocol == 6 || protocol == 17;
  return options.network && internet && plain && known ? LET : TELL(EACCES);
}

static void sweep_sockets(void) {
  for (uint32_t domain = 0; domain < 64; domain++) {
    for (uint32_t type = 0; type < 16; type++) {
      for (uint32_t protocol = 0; protocol < 300; protocol += protocol < 24 ? 1 : 7)
        expect(on(41, 198), domain, type | 02004000, protocol, 0, socket_expectation(domain, type, protocol));
      expect(on(53, 199), domain, type | 02000000, 0, 0, domain == 1 && (type == 1 || type == 5) ? LET : TELL(EACCES));
    }
  }
  for (uint32_t size = 0; size < 256; size++) {
    expect(on(49, 200), 3, 0, size, 0, size == 12 ? LET : TELL(EACCES));
  }
}

/* With the session's id filled in: an older process or group is asked about; the rarer calls are always asked about. */
static void sweep_targets(void) {
  const int session = 1000, common[] = {on(62, 129), on(200, 130), on(234, 131)};
  const int rare[] = {on(129, 138), on(297, 240), on(424, 424)};
  vt_bpf_settle(filter, length, (uint32_t)session);
  for (int target = -1100; target <= 1100; target++) {
    uint64_t word = (uint64_t)(int64_t)target;
    bool older = (target > 0 && target < session) || (target < -1 && target > -session);
    for (size_t c = 0; c < sizeof common / sizeof *common; c++) {
      expect(common[c], word, 15, 15, 0, older ? SEE : LET);
      expect(common[c], word, 0, 0, 0, LET);
    }
    for (size_t c = 0; c < sizeof rare / sizeof *rare; c++) {
      expect(rare[c], word, 15, 15, 0, SEE);
      expect(rare[c], word, 0, 0, 0, LET);
    }
  }
  expect(on(62, 129), 0x7fffffff, 15, 0, 0, LET);
  expect(on(62, 129), 0x80000000, 15, 0, 0, LET);
}

/* Targets, resources and their like: small values and each single bit. */
static uint32_t small_or_bit(uint32_t index) {
  return index < 32 ? index : 1u << (index - 32);
}

static void sweep_processes(void) {
  for (uint32_t i = 0; i < 64; i++) {
    uint32_t a = small_or_bit(i);
    expect(on(160, 164), a, 0x1000, 0, 0, a == 4 || a == 10 ? DONE : a == 1 ? SEE /* RLIMIT_FSIZE */ : LET);
    expect(on(103, 116), a, 0, 0, 0, a == 3 || a == 10 ? LET : TELL(EPERM));
    const int scheduling[] = {on(142, 118), on(144, 119), on(203, 122), on(314, 274)};
    for (size_t s = 0; s < 4; s++) expect(scheduling[s], a, 0, 0, 0, a == 0 ? LET : TELL(EPERM));
    for (uint32_t j = 0; j < 64; j++) {
      uint32_t b = small_or_bit(j);
      expect(on(141, 140), a, b, 0, 0, a == 0 && b == 0 ? LET : TELL(EPERM));
      expect(on(251, 30), a, b, 0, 0, a == 1 && b == 0 ? LET : TELL(EPERM));
      expect(on(302, 261), a, b, 0, 0, a == 0 ? LET : TELL(EPERM));
      expect(on(302, 261), a, b, UINT64_C(1) << i, 0, a != 0 ? TELL(EPERM) : b == 4 || b == 10 ? DONE : b == 1 ? SEE : LET);
      expect(on(302, 261), 0, b, UINT64_C(1) << i, 0, b == 4 || b == 10 ? DONE : b == 1 ? SEE : LET);
      expect(on(317, 277), a, b, 0, 0, a == 1 && (b & 8) ? EBUSY : LET);
    }
  }
}

int main(void) {
  for (size_t i = 0; sample_options(i, &options); i++) {
    if (options.abi != 6 || options.judge) continue; /* what is swept here depends on neither */
    if (options.unwritable != (options.network != options.terminal)) continue; /* half: any two of the three in every combination */
    int built = vt_filter_build(&options, filter);
    CHECK(built > 0, "options %zu", i);
    length = built > 0 ? (size_t)built : 0;
    sweep_ioctl();
    sweep_fcntl();
    sweep_open();
    sweep_clone();
    sweep_sockets();
    sweep_processes();
    sweep_targets();
  }
  return finish("filter judges arguments over their whole range");
}
