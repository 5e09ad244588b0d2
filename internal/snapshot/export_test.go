package snapshot

import "time"

// ListIn sets the time limit for listing the workspace.
func (s *Store) ListIn(most time.Duration) { s.listTime = most }

// ListTime is the default time limit for listing the workspace.
const ListTime = listTime

// IgnoreFiles returns the files outside the work tree that determine which files git ignores.
func (s *Store) IgnoreFiles(gitDir string) []string { return s.ignoreFiles(gitDir, gitDir) }

// GoBack reverts the finished steps of a plan, as Apply does after an error.
func (s *Store) GoBack(p *Plan) error { return s.files.goBack(p.Steps) }
