// Package settings is what a user can change about the program: one registry
// that declares every key, the layers a value can come from, and the profile
// files that keep a set of values.
//
// A value is resolved from the layers in the order built-in default < found <
// profile < environment < flags < session (D-39), and always knows which layer
// it comes from. Only validated, canonical values are ever stored, so that the rest of
// the program can take what it reads as correct. An API key is never a setting.
//
// The registry takes enum values from the rooms they belong to. The package
// owns the files under $XDG_CONFIG_HOME/agent; it reads no environment by itself.
package settings
