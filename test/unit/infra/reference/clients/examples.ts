import { readFileSync } from 'node:fs'

const clients = new URL('../../../../../infra/reference/clients/', import.meta.url)

export const examples = {
  typescript: readFileSync(new URL('typescript/example.ts', clients), 'utf8'),
  python: readFileSync(new URL('python/example.py', clients), 'utf8'),
  curl: readFileSync(new URL('curl/example.sh', clients), 'utf8'),
}

const isTitled = (paragraph: string): boolean => /^(?:\/\/|#) /.test(paragraph)

/** The snippets of an example by title, each a whole program: what all begin with, and a paragraph with its title as a comment. */
export const snippetsOf = (example: string): ReadonlyMap<string, string> => {
  const paragraphs = example.trimEnd().split('\n\n')
  const beginning = paragraphs.filter((paragraph) => !isTitled(paragraph))
  return new Map(
    paragraphs
      .filter(isTitled)
      .map((paragraph) => [
        paragraph.slice(0, paragraph.indexOf('\n')).replace(/^\S+ /, ''),
        `${[...beginning, paragraph].join('\n\n')}\n`,
      ]),
  )
}
