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

	"agent/internal/base/humanize"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
)

// localTimeout limits the whole search for local servers. A user waits for it at the start.
const localTimeout = 200 * time.Millisecond

// localPorts lists the default ports of servers, in the order of preference.
var localPorts = []struct {
	port   int
	server string
}{{11434, vendor.Ollama}, {8080, vendor.LlamaCpp}, {1234, vendor.LMStudio}, {8000, vendor.VLLM}}

// serverOf returns the name of the server that lists these models, found by their owner or their
// creation time. It returns "" if it is unknown.
func serverOf(models []openai.ModelInfo) string {
	if len(models) > 0 && !slices.ContainsFunc(models, func(m openai.ModelInfo) bool { return m.Created != createdLiteLLM }) {
		return vendor.LiteLLM
	}
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

// LocalServer is a model server on this machine.
type LocalServer struct {
	// Name is the name of the program, such as "Ollama".
	Name    string
	BaseURL string
	// Models holds the ids of its models, at least one.
	Models []string
}

// Detect returns the servers that list at least one model, in the order of the default ports. It takes
// at most 200 ms. If transport is nil, a plain transport without proxies is used. ours reports whether
// only programs of this user listen on a port.
func Detect(ctx context.Context, transport http.RoundTripper, ours func(port int) bool) (all []LocalServer) {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	if transport == nil {
		plain := &http.Transport{DisableKeepAlives: true}
		defer plain.CloseIdleConnections()
		transport = plain
	}
	found := make([]chan *LocalServer, len(localPorts))
	for i, p := range localPorts {
		found[i] = make(chan *LocalServer, 1)
		if !ours(p.port) {
			found[i] <- nil
			continue
		}
		go func() { found[i] <- probeLocal(ctx, transport, p.port, p.server) }()
	}
	for _, answer := range found {
		if local := <-answer; local != nil {
			all = append(all, *local)
		}
	}
	return all
}

func probeLocal(ctx context.Context, transport http.RoundTripper, port int, name string) *LocalServer {
	local := &LocalServer{Name: name, BaseURL: fmt.Sprintf("http://127.0.0.1:%d/v1", port)}
	client := openai.NewClient(openai.Config{BaseURL: local.BaseURL, Transport: transport})
	models, err := client.ListModels(ctx)
	if err != nil {
		return nil
	}
	if known := serverOf(models); known != "" {
		local.Name = known
	}
	for _, m := range models {
		// Omit other names. No setting accepts them, and they must not prevent the start.
		if m.ID != "" && humanize.EscapeInvisible(m.ID) == m.ID && !strings.ContainsFunc(m.ID, unicode.IsSpace) {
			local.Models = append(local.Models, m.ID)
		}
	}
	if len(local.Models) == 0 {
		return nil
	}
	return local
}

// listenerOf returns the users whose programs listen on a port of this machine. known is false
// if the system does not report it.
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

// listeners returns the users who listen on a port according to a table of the kernel. The table
// has a line for each socket with its local address, state and user.
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

// isOurs reports whether only this user's programs listen on a port, as far as the system reports it.
// The user's code must not be sent to a program of another user.
func isOurs(port int) bool {
	users, known := listenerOf(port)
	if !known {
		return true
	}
	return len(users) > 0 && !slices.ContainsFunc(users, func(uid int) bool { return uid != os.Getuid() })
}
