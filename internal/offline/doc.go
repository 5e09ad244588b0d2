// Package offline is the context engine on files, without a session and without a
// model: optimise, compress and show a history, and replay a recording.
//
// A replay judges density. It feeds the turns of a recording one by one through
// the real pre-send window, once for each way of keeping the context small, and
// accounts for what each would have sent. A recording is what was said, not what
// the model would have said had it seen less; the figures compare what the same
// conversation would have cost and which of its edits were still grounded in what
// the model could see.
package offline
