chaac doctor | head -4
chaac doctor --json | head -1
chaac doctor --loud
echo $?
