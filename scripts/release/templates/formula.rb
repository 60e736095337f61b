class {{class .Name}} < Formula
  desc "{{capital .Description}}"
  homepage "https://github.com/thresh-dev/thresh"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.URL "darwin" "arm64"}}"
      sha256 "{{.Sum "darwin" "arm64"}}"
    end
    on_intel do
      url "{{.URL "darwin" "amd64"}}"
      sha256 "{{.Sum "darwin" "amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux" "arm64"}}"
      sha256 "{{.Sum "linux" "arm64"}}"
    end
    on_intel do
      url "{{.URL "linux" "amd64"}}"
      sha256 "{{.Sum "linux" "amd64"}}"
    end
  end

  def install
    bin.install "{{.Name}}"
    man1.install Dir["man/*.1"]
{{- if .Completions}}
    bash_completion.install "completions/{{.Name}}.bash" => "{{.Name}}"
    zsh_completion.install "completions/_{{.Name}}"
    fish_completion.install "completions/{{.Name}}.fish"
{{- end}}
  end

  test do
    assert_match "{{.Name}}", shell_output("#{bin}/{{.Name}} --help")
  end
end
