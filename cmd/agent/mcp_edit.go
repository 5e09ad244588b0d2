package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/extend/mcp"
	"agent/internal/extend/setup/servers"
	"agent/internal/frontend/cli"

	"github.com/spf13/cobra"
)

// The scopes of the files that contain servers.
const scopeUser, scopeProject = "user", "project"

func fileOf(w world, scope string) (string, error) {
	f, err := w.process.Folders()
	if err != nil {
		return "", err
	}
	switch scope {
	case scopeUser:
		return servers.UserFile(f.Config), nil
	case scopeProject:
		return servers.ProjectFile(w.process.Dir), nil
	}
	return "", usage(fmt.Errorf("--scope %s: use user or project", scope))
}

func newMCPAdd(w world) *cobra.Command {
	var scope, transport string
	var env, headers []string
	cmd := &cobra.Command{
		Use:   "add NAME (URL | -- COMMAND [ARG…])",
		Short: "Add a server to your mcp.json or the folder's .mcp.json",
		Long: `Adds a server at a URL, or a program to start:

	agent mcp add docs https://example.com/mcp
	agent mcp add -e TOKEN='${GITHUB_TOKEN}' github -- npx -y some-server

agent replaces "${VAR}" when it starts the server, so the file holds no secret.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := fileOf(w, scope)
			if err != nil {
				return err
			}
			added, err := serverToAdd(args[1:], transport, env, headers)
			if err != nil {
				return usage(err)
			}
			if err := servers.Add(file, args[0], added); err != nil {
				return err
			}
			lines := []string{args[0] + " is in " + file}
			if scope == scopeProject {
				lines = append(lines, "It needs your approval before it is used. Run: agent trust")
			}
			return printLines(w, append(lines, "To test it, run: agent mcp test "+args[0]))
		},
	}
	cmd.Flags().StringVar(&scope, "scope", scopeUser, "the `FILE` to write: user or project")
	cmd.Flags().StringVarP(&transport, "transport", "t", "", "the `TRANSPORT` of a URL: http or sse")
	repeatable(cmd.Flags(), &env, "env", "e", "set `NAME=VALUE` in the environment of the program (repeatable)")
	repeatable(cmd.Flags(), &headers, "header", "H", "send the header `'NAME: VALUE'` with each request to the URL (repeatable)")
	return cmd
}

func serverToAdd(words []string, transport string, env, headers []string) (servers.NewServer, error) {
	var added servers.NewServer
	if len(words) == 0 {
		return added, errors.New("can't add the server: name a URL, or -- and a command")
	}
	if strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://") {
		if len(words) > 1 || len(env) > 0 {
			return added, errors.New("can't add the server: a URL can't have arguments or --env")
		}
		added.Type, added.URL = servers.HTTP, words[0]
		if transport != "" {
			added.Type = servers.Transport(transport)
		}
	} else {
		if len(headers) > 0 || transport != "" && transport != string(servers.Stdio) {
			return added, errors.New("can't add the server: a command can't have --header or --transport")
		}
		added.Command, added.Args = words[0], words[1:]
	}
	var err error
	if added.Env, err = pairs(env, "=", "-e NAME=VALUE"); err == nil {
		added.Headers, err = pairs(headers, ":", "-H 'NAME: VALUE'")
	}
	return added, err
}

func pairs(texts []string, separator, form string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all := map[string]string{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, separator)
		if !found || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("want %s", form)
		}
		all[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return all, nil
}

// fileWith returns the file of the scope. If scope is "", it returns the file in which the server is
// configured.
func fileWith(w world, name, scope string) (string, error) {
	if scope != "" {
		return fileOf(w, scope)
	}
	_, server, err := namedServer(w, name)
	if err != nil {
		return "", err
	}
	return server.File, nil
}

// editServer returns a command that changes a server in its file. did describes the change. The command
// prints it between the names of the server and the file.
func editServer(w world, name, short, did string, edit func(file, name string) error) *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use: name + " NAME", Short: short,
		Args: cli.ExactArgs(1, "the name of a server"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := fileWith(w, args[0], scope)
			if err == nil {
				err = edit(file, args[0])
			}
			if err != nil {
				return err
			}
			return printLines(w, []string{args[0] + " " + did + " " + file})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "the `FILE` to change: user or project (default: the file with the server)")
	return cmd
}

func newMCPLogin(w world) *cobra.Command {
	var noBrowser bool
	cmd := serverCommand(w, "login", "Log in to a server in the browser, and store the login", func(ctx context.Context, found knownServers, server *servers.Server) error {
		if err := takesLogin(server); err != nil {
			return err
		}
		host := mcp.Host{Version: w.process.Version, Roots: []string{w.process.Dir}}
		if err := w.process.Logins(found.folders).Login(ctx, found.configured.ToMCPServer(server), host, opener(w, noBrowser)); err != nil {
			return err
		}
		return printLines(w, []string{"logged in to " + server.Name})
	})
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "print the login address, and read the address that a browser elsewhere shows at the end")
	return cmd
}

func newMCPLogout(w world) *cobra.Command {
	return serverCommand(w, "logout", "Delete the login to a server", func(_ context.Context, found knownServers, server *servers.Server) error {
		if err := takesLogin(server); err != nil {
			return err
		}
		wire := found.configured.ToMCPServer(server)
		if with, err := wire.Prepare(wire); err == nil {
			wire = with // the address may contain variables
		}
		was, err := w.process.Logins(found.folders).Logout(wire)
		if err != nil {
			return err
		}
		said := "deleted the login to " + server.Name
		if !was {
			said = "no stored login to " + server.Name
		}
		return printLines(w, []string{said})
	})
}

// takesLogin returns an error for a server that is a local program, because only servers with an address
// support login.
func takesLogin(server *servers.Server) error {
	if server.Transport == servers.Stdio {
		return fmt.Errorf("can't log in to %s: only servers with a URL have logins", server.Name)
	}
	return nil
}

// opener returns a function that opens an address in the browser, or prints the address.
func opener(w world, noBrowser bool) mcp.Opener {
	return func(ctx context.Context, address string) (string, error) {
		if err := w.tell("Open this address to log in:\n" + humanize.EscapeInvisible(address)); err != nil {
			return "", err
		}
		if !noBrowser {
			openInBrowser(ctx, address) // without a browser the user can open the printed address
			return "", nil
		}
		if err := w.tell("After the login, paste the address that the browser shows:"); err != nil {
			return "", err
		}
		pasted, err := readLine(ctx, w.stdin)
		if (err == nil || errors.Is(err, io.EOF)) && pasted == "" {
			err = errors.New("can't log in: no address was pasted")
		}
		return pasted, err
	}
}

// openInBrowser opens a URL in the default browser. It ignores errors.
func openInBrowser(ctx context.Context, address string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	cmd := exec.CommandContext(ctx, program, address)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
