package app

import (
	"slices"
	"sync"

	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/shell"
)

// acts records the actions of the program that are not calls of the model, such as hooks. It is
// safe for concurrent use.
type acts struct {
	write func(session.Action)

	mu sync.Mutex
	// reached holds pairs of the name of a part of the program and a host that it has reached.
	reached map[[2]string]bool
	// late holds the hosts of the model's servers. They are recorded at the end of the session, because
	// each reply is recorded with its origin anyway.
	late []string
}

// did records an action. by is the name of the part of the program that did it.
func (a *acts) did(by string, did history.Effect) { a.write(session.Action{By: by, Effect: did}) }

// noteProgram records that a program of the user ran outside of the sandbox.
func (a *acts) noteProgram(by, line string, end shell.ExitInfo) {
	if end.NotStarted == nil {
		a.did(by, history.Effect{Ran: line, Profile: "none", Exit: end.ExitCode()})
	}
}

// reach records that a host was reached, once for each part of the program.
func (a *acts) reach(by, host string) {
	if a.isNew(by, host) {
		a.did(by, history.Effect{Hosts: []string{host}})
	}
}

// theModel is the name that the record contains, in place of a tool, for the hosts of model requests.
const theModel = "the model"

// reachModel records that a request to the model reached a host, once.
func (a *acts) reachModel(host string) {
	if a.isNew(theModel, host) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.late = append(a.late, host)
	}
}

// end records the hosts that reachModel has collected.
func (a *acts) end() {
	a.mu.Lock()
	late := a.late
	a.late = nil
	a.mu.Unlock()
	if len(late) > 0 {
		a.did(theModel, history.Effect{Hosts: late})
	}
}

// isNew reports whether a host was not reached before, and marks it as reached.
func (a *acts) isNew(by, host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reached == nil {
		a.reached = map[[2]string]bool{}
	}
	known := a.reached[[2]string{by, host}]
	a.reached[[2]string{by, host}] = true
	return !known
}

// followers holds the acts of all conversations of a program. The zero value is ready.
type followers struct {
	mu  sync.Mutex
	all []*acts
}

// add includes the acts of a conversation in each, until forget is called.
func (f *followers) add(a *acts) (forget func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, a)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all = slices.DeleteFunc(f.all, func(other *acts) bool { return other == a })
	}
}

// each calls do with the acts of every conversation.
func (f *followers) each(do func(*acts)) {
	f.mu.Lock()
	all := slices.Clone(f.all)
	f.mu.Unlock()
	for _, a := range all {
		do(a)
	}
}
