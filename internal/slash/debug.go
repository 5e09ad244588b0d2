package slash

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"agent/internal/command"
)

func debugCommand(d Deps) command.Command {
	return command.Command{
		Name: "debug", MaxArgs: 1,
		Usage: []command.Form{{Does: "show where the log is"}, {Args: "on", Does: "log requests and decisions in detail"}, {Args: "off", Does: "log what matters"}},
		Help:  "show where the log is; log more or less",
		Run: func(_ context.Context, args []string) (command.Output, error) {
			log := d.Log
			if len(args) == 1 {
				switch strings.ToLower(args[0]) {
				case "on":
					log.Level.Set(slog.LevelDebug)
				case "off":
					log.Level.Set(slog.LevelInfo)
				default:
					return command.Output{}, fmt.Errorf("%q is neither on nor off; type /debug on or /debug off", args[0])
				}
			}
			state := "off"
			if log.Level.Level() <= slog.LevelDebug {
				state = "on"
			}
			return command.Output{Lines: []string{"debug is " + state + "; the log is " + log.Path}}, nil
		},
		Complete: func([]string) []command.Completion {
			return []command.Completion{{Value: "on", Help: "log requests and decisions in detail"}, {Value: "off", Help: "log what matters"}}
		},
	}
}
