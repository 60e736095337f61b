{ pkgs ? import <nixpkgs> { } }:
let
  archives = {
    x86_64-linux = {
      url = "{{.URL "linux" "amd64"}}";
      sha256 = "{{.Sum "linux" "amd64"}}";
    };
    aarch64-linux = {
      url = "{{.URL "linux" "arm64"}}";
      sha256 = "{{.Sum "linux" "arm64"}}";
    };
    x86_64-darwin = {
      url = "{{.URL "darwin" "amd64"}}";
      sha256 = "{{.Sum "darwin" "amd64"}}";
    };
    aarch64-darwin = {
      url = "{{.URL "darwin" "arm64"}}";
      sha256 = "{{.Sum "darwin" "arm64"}}";
    };
  };
  system = pkgs.stdenv.hostPlatform.system;
in
pkgs.stdenvNoCC.mkDerivation {
  pname = "{{.Name}}";
  version = "{{.Version}}";
  src = pkgs.fetchurl (archives.${system} or (throw "{{.Name}} has no archive for ${system}"));
  nativeBuildInputs = [ pkgs.installShellFiles ];
  installPhase = ''
    install -Dm755 {{.Name}} $out/bin/{{.Name}}
    installManPage man/*.1
{{- if .Completions}}
    installShellCompletion --cmd {{.Name}} --bash completions/{{.Name}}.bash \
      --zsh completions/_{{.Name}} --fish completions/{{.Name}}.fish
{{- end}}
  '';
  dontStrip = true;
  meta = {
    description = "{{.Description}}";
    homepage = "https://github.com/thresh-dev/thresh";
    license = pkgs.lib.licenses.asl20;
    mainProgram = "{{.Name}}";
    platforms = builtins.attrNames archives;
  };
}
