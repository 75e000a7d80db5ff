import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files whose comments people write. */
const files = globSync(
  [
    '{functions,shared,infra,test}/**/*.{ts,cjs,mjs,js,css,py,sh,yaml,yml}',
    '.github/**/*.{yaml,yml}',
    '.biome/*',
    '.biome.jsonc',
    '.ci/run',
  ],
  { cwd: root, exclude: (path) => /node_modules|generated|pnpm-lock/.test(String(path)) },
).toSorted()

/** A line that is only a comment, in TypeScript, CSS, Python, YAML or Bash. */
const commentLine = /^\s*(?:\/\/|\/?\*|#(?!!))/

const isTooLong = (line: string): boolean => commentLine.test(line) && line.length > 120

/** Words that hide the noun of a comment: "What an id is to have" is "The desired state of one pet". */
const hiddenNoun = /^\s*(?:\/\/|\/\*\*?|#) (?:What|Of|Where|Who|Those|Such|As|It|By|With|They|So)\b/

/** Whether a comment begins on this line. A line comment begins where the line before it is none. */
const beginsComment = (line: string, previous: string): boolean =>
  /^\s*\/\*/.test(line) || !/^\s*(?:\/\/|#)/.test(previous)

/** @returns the numbers of the lines on which a comment begins without its noun */
const linesWithHiddenNoun = (text: string): readonly number[] => {
  const lines = text.split('\n')
  return lines.flatMap((line, index) =>
    hiddenNoun.test(line) && beginsComment(line, lines[index - 1] ?? '') ? [index + 1] : [],
  )
}

it('a comment line of 121 characters is too long', () => {
  expect(isTooLong(`// ${'x'.repeat(117)}`)).toBe(false)
  expect(isTooLong(`// ${'x'.repeat(118)}`)).toBe(true)
  expect(isTooLong(` * ${'x'.repeat(118)}`)).toBe(true)
  expect(isTooLong(`# ${'x'.repeat(119)}`)).toBe(true)
  expect(isTooLong(`const text = '${'x'.repeat(118)}'`)).toBe(false)
})

it('a comment that begins with What hides its noun', () => {
  expect(linesWithHiddenNoun('/** What an id is to have. */')).toEqual([1])
  expect(linesWithHiddenNoun('const id = 1\n// Of the file that says so.')).toEqual([2])
  expect(linesWithHiddenNoun('// The desired state of\n// What is a word of a second line.')).toEqual([])
})

it('there are comments in more than a hundred files', () => {
  const withComments = files.filter((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .some((line) => commentLine.test(line)),
  )

  expect(withComments.length).toBeGreaterThan(100)
})

it('no comment line has more than 120 characters', () => {
  const tooLong = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((line, index) => (isTooLong(line) ? [`${file}:${index + 1}`] : []))
  })

  expect(tooLong).toEqual([])
})

it('no comment hides its noun', () => {
  const hidden = files.flatMap((file) =>
    linesWithHiddenNoun(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`),
  )

  expect(hidden).toEqual([])
})

/** Joins the comments of a file into one text without line breaks. */
const readComments = (file: string): string => {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  const texts = lines.filter((line) => commentLine.test(line)).map((line) => line.replace(commentLine, ''))
  return texts.join(' ').replaceAll(/ +/g, ' ')
}

it('each file that a comment names exists', () => {
  // The name of a file in an example, which stands for any file.
  const isExample = (path: string): boolean => path.endsWith('/example.ts')

  const missing = files.flatMap((file) => {
    const paths = readComments(file).matchAll(/(?<![\w./<])(?:shared|functions|infra|test)\/[\w./-]+\.\w+/g)
    return [...paths]
      .filter(([path]) => !existsSync(join(root, path)) && !isExample(path))
      .map(([path]) => `${file}: ${path}`)
  })

  expect(missing).toEqual([])
})

it('each name that a comment says to be in a file is in it', () => {
  const misplaced = files.flatMap((file) => {
    const places = readComments(file).matchAll(/`(\w+)` in `((?:shared|functions|infra|test)\/[\w./-]+\.\w+)`/g)
    return [...places].flatMap(([place, name = '', path = '']) =>
      readFileSync(join(root, path), 'utf8').includes(name) ? [] : [`${file}: ${place}`],
    )
  })

  expect(misplaced).toEqual([])
})
