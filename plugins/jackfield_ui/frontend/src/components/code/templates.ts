/** Templates of expressions: text with code in {{ }}. */
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { defineLanguageFacet, Language, LanguageSupport } from '@codemirror/language';
import {
  type Input,
  NodeType,
  Parser,
  type Parser as ParserType,
  type PartialParse,
  parseMixed,
  Tree,
  type TreeFragment,
} from '@lezer/common';
import { styleTags, tags } from '@lezer/highlight';
import { codeIn } from './codeIn';

const TOP = NodeType.define({ id: 1, name: 'Template', top: true });
const CODE = NodeType.define({ id: 2, name: 'Code', props: [styleTags({ Code: tags.processingInstruction })] });
/** What stands between the braces is one expression. */
export const expressionParser: ParserType = javascriptLanguage.parser.configure({ top: 'SingleExpression' });

/** All in one go: templates are short. */
class Whole implements PartialParse {
  parsedPos = 0;
  stoppedAt: number | null = null;
  private readonly input: Input;

  constructor(input: Input) {
    this.input = input;
  }

  advance(): Tree {
    const end = this.stoppedAt ?? this.input.length;
    this.parsedPos = end;
    const places = codeIn(this.input.read(0, end));
    const codes = places.map(({ start, end }) => new Tree(CODE, [], [], end - start));
    return new Tree(
      TOP,
      codes,
      places.map(({ start }) => start),
      end,
    );
  }

  stopAt(position: number): void {
    this.stoppedAt = position;
  }
}

class TemplateParser extends Parser {
  private readonly wrap = parseMixed((node, input) => {
    if (node.type !== CODE) return null;
    const from = node.from + 2;
    const to = input.read(Math.max(from, node.to - 2), node.to) === '}}' ? node.to - 2 : node.to;
    return from < to ? { parser: expressionParser, overlay: [{ from, to }] } : null;
  });

  createParse(input: Input, fragments: readonly TreeFragment[], ranges: readonly { from: number; to: number }[]) {
    return this.wrap(new Whole(input), input, fragments, ranges);
  }
}

export function templates(): LanguageSupport {
  const facet = defineLanguageFacet({
    closeBrackets: { brackets: ['(', '[', '{', "'", '"', '`'] },
  });
  return new LanguageSupport(new Language(facet, new TemplateParser(), [], 'template'));
}
