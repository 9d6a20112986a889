# SPDX-License-Identifier: Apache-2.0
mkdir a
cat > a/log.jsonl <<'END'
{"event": "start", "step": 0, "rows": 8, "seconds": 0.5}
{"event": "step", "step": 1, "epoch": 1, "loss": 2.5, "rate": 0.1, "seconds": 1}
{"event": "step", "step": 2, "epoch": 1, "loss": 1.25, "rate": 0.1, "seconds": 2}
{"event": "epoch", "step": 2, "epoch": 1, "loss": 1.875, "valid_loss": 1.5, "accuracy": 0.5, "seconds": 3}
{"event": "step", "step": 3, "epoch": 2, "loss": null, "seconds": 4}
{"event": "step", "step": 4, "epoch": 2, "loss": 0.75, "seconds": 5}
{"event": "epoch", "step": 4, "epoch": 2, "loss": 0.75, "valid_loss": 0.875, "accuracy": 1, "seconds": 6}

END
printf '%s\n' '{ "step":1,"loss":3 , "note": "a \" quote" }' '{"step":3,"loss":-1e-1}' '{"step":4,"loss":9' > other
chaac plot a other --title='two & more' > both.svg || echo failed
echo '{"step": 4, "loss": 0.25}' >> a/log.jsonl
sed '$d' other > other.jsonl
chaac plot a/log.jsonl other.jsonl --title='two & more'
echo '{"step": 5, "loss": 1e308}' >> other.jsonl
echo '{"step": -1e308, "loss": 1}' >> other.jsonl
chaac plot other.jsonl | grep -c polyline
chaac plot a --over=seconds --out=a.svg && grep -c polyline a.svg
