{
  description = "Build, validate, sign and compare the messages that AI agents hand over";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAll (pkgs: rec {
        handoff = (pkgs.buildGo126Module or pkgs.buildGoModule) {
          pname = "handoff";
          version = self.shortRev or "dirty";
          src = self;
          # The hash of "go mod vendor" as a Nix archive: TestVendorHash prints it.
          vendorHash = "sha256-6TlJjO5S6trjjxw22uLs+51evL77a3rukViFfNP0j8w=";
          subPackages = [ "." "relay/handoff-relay" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" ];
          doCheck = false; # the tests need other programs
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            HOME=$TMPDIR $out/bin/handoff man --install --dir man1
            installManPage man1/*.1
            installShellCompletion completions/handoff.bash completions/handoff.fish completions/_handoff
          '';
          meta = {
            homepage = "https://github.com/eaapl/handoff";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "handoff";
          };
        };
        default = handoff;
      });
    };
}
