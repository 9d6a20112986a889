# SPDX-License-Identifier: Apache-2.0
cp "$ROOT/tests/cli/cases/points.csv" "$ROOT/tests/cli/cases/square.ir" .
train() {
    chaac train "$@" >said 2>&1
    echo "$? $(grep -v '^usage: ' said)"
}
# flags
train
train --out=run
train --out=run --model=mlp
train --out=run --model=lstm --data=points.csv
train --out=run --model=mlp --data=points.csv --epochs=0
train --out=run --model=mlp --data=points.csv --lr=nan
train --out=run --model=mlp --data=points.csv --lr
train --out=run --model=mlp --data=points.csv --momentum=3
train --out=run --model=mlp --data=points.csv --optimizer=adamant
train --out=run --model=mlp --data=points.csv --schedule=step
train --out=run --model=mlp --data=points.csv --schedule=step:0,0.5
train --out=run --model=mlp --data=points.csv --schedule=exponential:0.9x
train --out=run --model=mlp --data=points.csv --schedule=piecewise:10
train --out=run --model=mlp --data=points.csv --schedule=piecewise:20,0.5,10,0.1
train --out=run --model=mlp --data=points.csv --schedule=restarts:0,2
train --out=run --model=mlp --data=points.csv --schedule=polynomial:-1
train --out=run --model=mlp --data=points.csv --accumulate=0
train --out=run --model=mlp --data=points.csv --average=1
train --out=run --model=mlp --data=points.csv --frozen=dense7
train --out=run --model=mlp --data=points.csv --no-decay='*.scale'
train --out=run --model=mlp --data=points.csv --frozen='*'
train --out=run --model=mlp --data=points.csv --compute=f8
train --out=run --model=mlp --data=points.csv --loss=l1
train --out=run --model=mlp --data=points.csv --hidden=4,,4
train --out=run --model=mlp --data=points.csv more
train --out=run --model=mlp --data=points.csv --context=8
train --out=run --model=square.ir --data=points.csv --hidden=4
train --out=run --model=char-lm --data=points.csv --activation=tanh
train --out=run --model=char-lm --data=points.csv --target=x
train --out=run --model=char-lm --data=points.csv --classes=2
train --out=run --model=mlp --data=points.csv --classes=2 --loss=mse
train --out=run --model=mlp --data=points.npz --target=x
train --out=run --model=mlp --data=points.csv --batch=109
train --out=run --model=mlp --data=points.csv --patience=2 --holdout=0
train --out=run --model=mlp --data=points.csv --engine=fpga
train --out=run --resume
train --out=no/run --model=mlp --data=points.csv
# data
train --out=run --model=mlp --data=nowhere.csv
train --out=run --model=mlp --data=square.ir
train --out=run --model=mlp --data=points.csv --target=z
train --out=run --model=mlp --data=points.csv --target=4
train --out=run --model=mlp --data=points.csv --classes=1
train --out=run --model=mlp --data=points.csv --loss=cross-entropy --target=x
printf 'a,b\n1,2\n3,4,5\n' > ragged.csv
train --out=run --model=mlp --data=ragged.csv
printf 'a\n1\n' > one.csv
train --out=run --model=mlp --data=one.csv
printf 'a,b\n' > empty.csv
train --out=run --model=mlp --data=empty.csv
printf 'a,b\n1,x\n' > words.csv
train --out=run --model=mlp --data=words.csv
printf 'short' > short.txt
train --out=run --model=char-lm --data=short.txt
train --out=run --model=cnn --data=points.csv
mkdir empty
train --out=run --model=cnn --data=empty
printf 'PK' > bad.npz
train --out=run --model=mlp --data=bad.npz
# models
train --out=run --model=nowhere.ir --data=points.csv
train --out=run --model=square.ir --data=points.csv
cat > wide.ir <<'END'
chaac-ir 1
func @wide(%x: f32[n,2], %w: f32[2,3]) -> f32[n,3] {
  %y = dot %x, %w {contract = [1]x[0]} : f32[n,3]
  return %y
}
END
train --out=run --model=wide.ir --data=points.csv
train --out=run --model=wide.ir --data=points.csv --classes=4
train --out=run --model=wide.ir --data=points.csv --target=x --classes=3
# runs
chaac train --out=run --model=mlp --data=points.csv --classes=2 --epochs=1 2> said
train --out=run --model=mlp --data=points.csv
train --out=run --resume --batch=4
ls run
printf 'a,b,c,d\n1,2,3,1\n' > wide.csv
chaac eval run --data=wide.csv
echo $?
printf 'a,b,c\n1,2,2\n' > three.csv
chaac eval run --data=three.csv
echo $?
chaac eval run --checkpoint=other.safetensors
echo $?
chaac eval empty
echo $?
chaac eval
echo $?
echo '--colour=red' >> run/flags
chaac eval run
echo $?
sed -i 's/^--colour.*/--hidden=0/' run/flags
chaac eval run
echo $?
chaac plot
echo $?
chaac plot empty
echo $?
chaac plot points.csv
echo $?
chaac plot run --over=weeks
echo $?
: > log.jsonl
chaac plot log.jsonl
echo $?
