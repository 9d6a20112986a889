chaac help | head -3
chaac help run
chaac --version
chaac frobnicate
echo $?
