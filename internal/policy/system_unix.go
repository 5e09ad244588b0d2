//go:build unix

package policy

// System returns the file of this machine. Its path is no matter of the environment, which belongs
// to the user.
func System() File { return OwnedBy("/etc/agent/policy.json", 0) }
