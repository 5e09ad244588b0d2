{
  description = "A coding agent for the terminal that keeps its context dense";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "agent";
          version = self.shortRev or "dirty";
          src = self;
          subPackages = [ "cmd/agent" ];
          env.CGO_ENABLED = 0;
          doCheck = false; # the tests need tmux, git and a sandbox
          # The hash of what go mod vendor writes. After a change of go.mod, or of the packages
          # that are imported: set to pkgs.lib.fakeHash, build, and take the hash
          # that nix names.
          vendorHash = "sha256-NtGlSZqqYhsDTWFkNL0DLir+WXVgJIohi3bkuZn7x78=";
          ldflags = [ "-s" "-w" "-X agent/internal/base/version.Linked=${self.shortRev or "dirty"}" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            export HOME=$TMPDIR
            $out/bin/agent man > agent.1 && installManPage agent.1
            for shell in bash zsh fish; do $out/bin/agent completion $shell > agent.$shell; done
            installShellCompletion agent.{bash,zsh,fish}
          '';
        };
      });
    };
}
