package chat

// maxFailures is how often the same call may fail in a row before the turn stops
// with a question: a model that repeats itself burns tokens and learns nothing.
const maxFailures = 5

// failureStreak counts identical calls that failed one after the other.
type failureStreak struct {
	key   string
	count int
}

// note takes a call's answer into account and reports whether the streak has
// become too long. Failing is an error or a command's exit status other than 0.
func (f *failureStreak) note(k *call) bool {
	failed := k.answer.Error != "" || k.answer.ExitCode != nil && *k.answer.ExitCode != 0
	key := k.name + "\x00" + string(k.parameters)
	switch {
	case !failed:
		*f = failureStreak{}
	case key == f.key:
		f.count++
	default:
		*f = failureStreak{key: key, count: 1}
	}
	return f.count >= maxFailures
}
