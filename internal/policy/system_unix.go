//go:build unix

package policy

// System returns the policy file of this machine. Its path does not depend on the environment,
// which the user controls.
func System() File { return OwnedBy("/etc/agent/policy.json", 0) }
