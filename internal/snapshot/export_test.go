package snapshot

import "time"

// ListIn bounds how long listing the workspace may take.
func (s *Store) ListIn(most time.Duration) { s.listTime = most }

// ListTime is that bound as the program has it.
const ListTime = listTime

// IgnoreFiles are those outside of the work tree by which git tells what it lists.
func (s *Store) IgnoreFiles(gitDir string) []string { return s.ignoreFiles(gitDir, gitDir) }

// GoBack takes back what was done of a plan, as Apply does after an error.
func (s *Store) GoBack(p *Plan) error { return s.files.goBack(p.Steps) }
