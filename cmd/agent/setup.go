package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/tui/style"
	"agent/internal/workspace"

	"github.com/spf13/cobra"
)

// newRegistry declares the settings with the enum values of the rooms they belong
// to.
func newRegistry() *settings.Registry {
	return settings.NewRegistry(settings.All(), settings.Choices{
		settings.CompressionStrategy.Key(): compression.Names(),
		settings.ApprovalMode.Key():        chat.ApprovalModeNames(),
		settings.Theme.Key():               style.Themes(),
		settings.Provider.Key():            provider.Names(),
	})
}

// settingsOptions are the flags that settings come from.
type settingsOptions struct {
	model        string
	provider     string
	baseURL      string
	profile      string
	approvalMode string
	maxTurns     string
	maxCost      string
	set          []string
	// isolated leaves the user's profile and environment out, for the demo.
	isolated bool
}

func (o *settingsOptions) register(cmd *cobra.Command, w world) {
	f := cmd.Flags()
	f.StringVarP(&o.model, "model", "m", "", "the model to use")
	f.StringVar(&o.provider, "provider", "", "the `NAME` of a provider: "+strings.Join(provider.Names(), ", "))
	f.StringVar(&o.baseURL, "base-url", "", "the `URL` of an OpenAI-compatible endpoint")
	f.StringVar(&o.profile, "profile", "", "the profile to load")
	f.StringArrayVar(&o.set, "set", nil, "set `KEY=VALUE` for this run (repeatable)")
	completeFlag(cmd, "profile", completeProfiles(w))
	completeFlag(cmd, "provider", cobra.FixedCompletions(provider.Names(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "set", completeAssignments)
}

// newSettings resolves the layers that do not change while the program runs.
func newSettings(w world, f folders, o settingsOptions) (*settings.Settings, *settings.Store, error) {
	registry := newRegistry()
	s, store := settings.New(registry), settings.NewStore(f.config, registry)
	if !o.isolated {
		if err := useOwn(s, store, w, o.profile); err != nil {
			return nil, nil, err
		}
	}
	pairs, err := o.pairs()
	if err != nil {
		return nil, nil, err
	}
	for _, pair := range pairs {
		if err := s.Set(settings.Flags, pair[0], pair[1]); err != nil {
			return nil, nil, err
		}
	}
	return s, store, nil
}

// useOwn lets the user's profile, the default one if none is named, and the
// environment take effect.
func useOwn(s *settings.Settings, store *settings.Store, w world, name string) error {
	if name == "" {
		var err error
		if name, err = store.Default(); err != nil {
			return err
		}
	}
	if name != "" && name != settings.NoProfile {
		profile, err := store.Load(name)
		if err != nil {
			return err
		}
		s.UseProfile(profile)
		for _, unknown := range profile.Unknown {
			fmt.Fprintf(w.people, "profile %s: %s is not known to this version and is kept as it is\n", name, unknown)
		}
	}
	return s.SetEnvironment(w.env)
}

// pairs returns the settings that flags give, in the order in which they apply.
func (o settingsOptions) pairs() ([][2]string, error) {
	var pairs [][2]string
	for _, pair := range o.set {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usage(fmt.Errorf("--set %s: expected KEY=VALUE", pair))
		}
		pairs = append(pairs, [2]string{strings.TrimSpace(key), value})
	}
	for _, flag := range [][2]string{
		{settings.Model.Key(), o.model},
		{settings.Provider.Key(), o.provider},
		{settings.BaseURL.Key(), o.baseURL},
		{settings.ApprovalMode.Key(), o.approvalMode},
		{settings.MaxTurns.Key(), o.maxTurns},
		{settings.MaxCost.Key(), o.maxCost},
	} {
		if flag[1] != "" {
			pairs = append(pairs, flag)
		}
	}
	return pairs, nil
}

// newWorkspace opens the folder to work in with a temporary folder of its own.
func (w world) newWorkspace(dir string) (*workspace.Workspace, func() error, error) {
	if !filepath.IsAbs(dir) && w.cwd == "" {
		return nil, nil, usage(errors.New("the current folder was deleted; change to another one, or name one with -C"))
	}
	if dir == "" {
		dir = w.cwd
	}
	dir = w.path(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, usage(fmt.Errorf("the workspace %s is not a folder that can be read", dir))
	}
	confined, err := workspace.New(dir, "")
	if err != nil {
		return nil, nil, err
	}
	temp := newTemporary(os.TempDir(), w.now())
	confined.MakeTemp(temp.path, temp.make)
	return confined, temp.remove, nil
}
