package session_test

import (
	"fmt"
	"os"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// A session is recorded entry by entry, and can be resumed from its log.
func Example() {
	folder, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(folder)
	options := session.Options{Dir: folder, Workspace: "/work", ID: "20261129-120000-aaaaa", Now: time.Now}
	log, err := session.Create(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := log.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText("What is in main.go?")}); err != nil {
		fmt.Println(err)
	}
	if err := log.Close(); err != nil {
		fmt.Println(err)
	}

	log, state, err := session.Resume(log.Path(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	for _, entry := range state.Entries {
		fmt.Println(entry.Speaker, "·", entry.Text())
	}
	// Output: human · What is in main.go?
}
