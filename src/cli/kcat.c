#include "cli/kcat.h"

#include <stddef.h>
#include <string.h>

struct habit {
  char letter;
  const char *here;
};

static const struct habit modes[] = {
    {'C', "kcat -C is: rille tap -t TOPIC"},
    {'P', "kcat -P is: rille send -t TOPIC [FILE …]"},
    {'G', "kcat -G is: rille run SCRIPT -G GROUP -t TOPIC"},
    {'M', "kcat -M is: rille broker --brokers-count N"},
    {'Q', "kcat -Q is: rille tap -t TOPIC -o TIME -c 1 -f '%p %o\\n'"},
    {'L',
     "kcat -L has no counterpart: Kafka's kafka-topics --describe lists topics, rille groups lists groups"},
};

static const struct habit letters[] = {
    {'J', "JSON is what rille tap prints without -f, -K and -D"},
    {'u', "what is printed goes out as soon as nothing more waits"},
    {'l', "files are plain arguments: rille send -t TOPIC FILE"},
    {'z', "compression is a property: -X compression.codec=CODEC"},
    {'d', "librdkafka's debugging is a property: -X debug=WHAT, with -v"},
    {'T', "rille send prints nothing but its summary; tee does"},
};

static const char *find(const struct habit *list, size_t n, char letter) {
  for (size_t i = 0; i < n; i++)
    if (list[i].letter == letter) return list[i].here;
  return NULL;
}

static const char *mode(char letter) { return find(modes, sizeof modes / sizeof *modes, letter); }

const char *rl_kcat_mode(int argc, char *const *argv, char *letter) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *here = argv[i][0] == '-' ? mode(argv[i][1]) : NULL;
    if (here) {
      *letter = argv[i][1];
      return here;
    }
  }
  return NULL;
}

const char *rl_kcat_letter(char letter) {
  const char *here = mode(letter);
  return here ? here : find(letters, sizeof letters / sizeof *letters, letter);
}
