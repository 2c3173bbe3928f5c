# The picks of the files part-00, part-01 and so on in shards.tsv, byte for byte those of one file
# with all their lines:
#   split --number=l/3 --numeric-suffixes pool.txt part-
#   make -f shards.mk -j OPTIONS="--budget 1000w"
# {part} in OPTIONS stands for the name of a part, as in --embeddings {part}.npy. Each step of a part
# is a target. One that is killed leaves no half of a file, and is made again. Messages are in a
# folder run-NUMBER of these options and parts. Remove it at the end, and where another file that an
# option names has changed.
ALCORE := alcore
EXCHANGE := 1
PARTS := $(sort $(wildcard part-[0-9][0-9]))
$(if $(PARTS),,$(error no file part-00, part-01 and so on))
ROWS := $(shell awk 'END { print NR }' $(PARTS) /dev/null)
QUOTED := '$(subst ','\'',$(OPTIONS))'
RUN := run-$(shell { $(ALCORE) --version; printf '%s\n' $(QUOTED); stat -c '%n %s %y' $(PARTS); } | sha256sum | cut -c 1-12)
.SECONDARY:
.PHONY: picks

# Those in shards.tsv may be of other options, made earlier or later.
picks: $(RUN)/picks.tsv
	cmp -s $< shards.tsv || { cp $< $(RUN)/shards.tsv && mv $(RUN)/shards.tsv shards.tsv; }

# The last exchange has no message: the picks are there.
$(RUN)/picks.tsv: $(RUN)/exchange-$(EXCHANGE)
	[ ! -e $< ] || $(MAKE) -f $(firstword $(MAKEFILE_LIST)) RUN=$(RUN) EXCHANGE=$$(($(EXCHANGE) + 1)) MESSAGES="$(MESSAGES) $<" $@

$(RUN)/exchange-$(EXCHANGE): $(PARTS:%=$(RUN)/%.$(EXCHANGE))
	rm -f $@
	[ ! -e $< ] || $(ALCORE) fold $^ --out $@

# The first row of a part is the number of lines of the parts before it. The last line of a file may
# have no line end.
$(RUN)/%.$(EXCHANGE): % $(MESSAGES)
	mkdir -p $(RUN)
	rm -f $@
	first=$$(for part in $(PARTS); do [ $$part != $< ] || break; awk 1 $$part; done | wc -l); \
	$(ALCORE) select $< $(subst {part},$<,$(OPTIONS)) --shard $$first/$(ROWS) $(addprefix --message ,$(MESSAGES)) --next $@ --out $(RUN)/picks.tsv
