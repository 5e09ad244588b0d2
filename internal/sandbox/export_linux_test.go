package sandbox

// KillHolders ends what keeps the namespaces of a session, as somebody outside might.
func (s *Sandbox) KillHolders() {
	for _, h := range s.keeps.holders.byNetwork {
		_ = h.cmd.Process.Kill()
	}
}
