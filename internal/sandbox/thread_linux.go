package sandbox

import (
	"golang.org/x/sys/unix"

	"agent/internal/sandbox/confine"
)

// threadABI is the version of Landlock from which a file can be kept from being
// cut short.
const threadABI = 3

// throughLandlock are capabilities by which root gets around Landlock.
var throughLandlock = []uint{
	unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_SYS_PTRACE, unix.CAP_BPF, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW,
	unix.CAP_MKNOD, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT, unix.CAP_DAC_READ_SEARCH, unix.CAP_SYSLOG,
}

// confineThread confines the calling thread and what it starts from now on.
func (r *rulesets) confineThread(policy Policy) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	ruleset, err := r.of(policy)
	if err != nil {
		return err
	}
	keep := ^uint64(0)
	for _, capability := range throughLandlock {
		keep &^= 1 << capability
	}
	if err := confine.KeepCapabilities(keep); err != nil {
		return err
	}
	return confine.Restrict(ruleset, newFilter(restrictions{noSockets: !policy.network(), noChanges: policy.Profile == Look}))
}
