package provider

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/words"
)

// localTimeout bounds the search for local servers as a whole: a person waits for
// it at the start.
const localTimeout = 200 * time.Millisecond

// localPorts are the usual ports in the order of preference, with the server that
// uses each by default.
var localPorts = []struct {
	port   int
	server string
}{{11434, vendor.Ollama}, {8080, vendor.LlamaCpp}, {1234, vendor.LMStudio}, {8000, vendor.VLLM}}

// serverOf finds by the owner of the models which server lists them, "" if none of
// those known.
func serverOf(models []openai.ModelInfo) string {
	for _, m := range models {
		switch m.OwnedBy {
		case "library":
			return vendor.Ollama
		case "llamacpp":
			return vendor.LlamaCpp
		case "organization_owner", "organization-owner":
			return vendor.LMStudio
		case "vllm":
			return vendor.VLLM
		}
	}
	return ""
}

// Local is a model server found on this machine.
type Local struct {
	// Name is the server's, for example "Ollama".
	Name    string
	BaseURL string
	// Models are the ids of its models, at least one.
	Models []string
}

// Detect looks on the usual ports for a server that lists at least one model and
// returns the first in their order. It takes 200 ms at most. A nil transport means a
// plain one without proxies; ours reports whether only programs of this user listen
// on a port.
func Detect(ctx context.Context, transport http.RoundTripper, ours func(port int) bool) (Local, bool) {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	if transport == nil {
		plain := &http.Transport{DisableKeepAlives: true}
		defer plain.CloseIdleConnections()
		transport = plain
	}
	found := make([]chan *Local, len(localPorts))
	for i, p := range localPorts {
		found[i] = make(chan *Local, 1)
		if !ours(p.port) {
			found[i] <- nil
			continue
		}
		go func() { found[i] <- probeLocal(ctx, transport, p.port, p.server) }()
	}
	for _, answer := range found {
		if local := <-answer; local != nil {
			return *local, true
		}
	}
	return Local{}, false
}

func probeLocal(ctx context.Context, transport http.RoundTripper, port int, name string) *Local {
	local := &Local{Name: name, BaseURL: fmt.Sprintf("http://127.0.0.1:%d/v1", port)}
	client := openai.NewClient(openai.Config{BaseURL: local.BaseURL, Transport: transport})
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil
	}
	if known := serverOf(models); known != "" {
		local.Name = known
	}
	for _, m := range models {
		// A name that no setting takes must not end the start.
		if m.ID != "" && words.Visible(m.ID) == m.ID && !strings.ContainsFunc(m.ID, unicode.IsSpace) {
			local.Models = append(local.Models, m.ID)
		}
	}
	if len(local.Models) == 0 {
		return nil
	}
	return local
}

// listenerOf reports which user's programs listen on a port of this machine. known
// is false where the system does not say.
func listenerOf(port int) (users []int, known bool) {
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		users, known = append(users, listeners(file, port)...), true
		_ = file.Close()
	}
	return users, known
}

// listeners reads a table of the kernel: a line a socket with its local address, its
// state and its user, all by column.
func listeners(table io.Reader, port int) []int {
	const (
		local, state, user = 1, 3, 7
		listening          = "0A"
	)
	var users []int
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= user || fields[state] != listening {
			continue
		}
		_, hex, _ := strings.Cut(fields[local], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err != nil || int(n) != port {
			continue
		}
		if uid, err := strconv.Atoi(fields[user]); err == nil {
			users = append(users, uid)
		}
	}
	return users
}

// isOurs reports whether only this user's programs listen on a port, as far as the
// system says: another program that listens there would be sent the user's code.
func isOurs(port int) bool {
	users, known := listenerOf(port)
	if !known {
		return true
	}
	return len(users) > 0 && !slices.ContainsFunc(users, func(uid int) bool { return uid != os.Getuid() })
}
