package main

import (
	"slices"
	"strings"

	"agent/internal/app"
	"agent/internal/provider"
	"agent/internal/settings"

	"github.com/spf13/cobra"
)

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

// sources are where the settings of a command come from: --set, and flags of their own,
// which count more.
func (o settingsOptions) sources() app.Sources {
	set := slices.Clone(o.set)
	for _, flag := range [][2]string{
		{settings.Model.Key(), o.model},
		{settings.Provider.Key(), o.provider},
		{settings.BaseURL.Key(), o.baseURL},
		{settings.ApprovalMode.Key(), o.approvalMode},
		{settings.MaxTurns.Key(), o.maxTurns},
		{settings.MaxCost.Key(), o.maxCost},
	} {
		if flag[1] != "" {
			set = append(set, flag[0]+"="+flag[1])
		}
	}
	return app.Sources{Profile: o.profile, Set: set, Isolated: o.isolated}
}
