import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { keysTool } from '../../infra/operations/keys/keys-tool.ts'
import { petsTool } from '../../infra/operations/pets/pets-tool.ts'
import { scenarios } from '../requests/requests.ts'
import { addsPets } from '../requests/scenario.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))

const documents = globSync(['*.md', '.github/**/*.md', '{shared,functions,infra,test}/**/*.md'], { cwd: root }).sort()

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '')

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** Whether a relative link of a document leads to a file or folder, and to a heading of it where it names one. */
const leadsSomewhere = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || (statSync(join(root, target)).isFile() && anchorsOf(read(target)).includes(anchor))
}

/** Paths from the root of the repository, in prose, code and commands. `<name>` stands for any name. */
const pathsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w./<>-])(?:shared|functions|infra|test|\.ci|\.github)\/[\w./<>-]*[\w/>]/g)].map(
    ([path]) => path,
  )

const exists = (path: string): boolean =>
  path.includes('<')
    ? globSync(path.replaceAll(/<[\w-]+>/g, '*'), { cwd: root }).length > 0
    : existsSync(join(root, path))

/** Such as `npm run keys -- list --env local`: the script and what follows it. */
const commandsOf = (text: string): readonly { readonly script: string; readonly words: string }[] =>
  [...text.matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)(?!\w))((?: -- [^\n`|]*)?)/g)].map(
    ([, run, short = '', words = '']) => ({ script: run ?? short, words }),
  )

const tools: readonly CommandUnknownOpts[] = [keysTool(), petsTool()]

/** What `--help` prints of a script that takes options of ours, or of one of its actions, such as `issue`. */
const usageOf = async (script: string, words: string): Promise<string> => {
  const tool = tools.find((one) => one.name().endsWith(` ${script} --`))
  const action = tool?.commands.find((command) => words.startsWith(` -- ${command.name()} `))
  if (tool !== undefined) return (action ?? tool).helpInformation()
  const [, file = ''] = /^node infra\/launch\.cjs (\S+)$/.exec(scripts[script] ?? '') ?? []
  return (await promisify(execFile)(process.execPath, [file, '--help'], { cwd: root })).stdout
}

it.each(documents)('%s leads to files, paths and headings that exist', (document) => {
  const text = read(document)
  expect(linksOf(text).filter((link) => !leadsSomewhere(document, link))).toEqual([])
  expect(pathsOf(text).filter((path) => !exists(path))).toEqual([])
})

it('the commands of the documents are scripts of package.json, with options that they have', async () => {
  const named = documents.flatMap((document) => commandsOf(read(document)))
  expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([])
  const usages = new Map<string, Promise<string>>()
  for (const { script, words } of named) {
    const options = [...words.matchAll(/ (--\w[\w-]*)/g)].map(([, option = '']) => option)
    // Vitest has its own options.
    if (options.length === 0 || script.startsWith('test')) continue
    const usage = usages.get(script) ?? usageOf(script, words)
    if (!['keys', 'pets'].includes(script)) usages.set(script, usage)
    for (const option of options) expect(await usage, `${script}${words}`).toMatch(new RegExp(`${option}(?![\\w-])`))
  }
})

it('the nightly sizes are run by commands whose files, or the fixtures of those, read their variables', () => {
  const runs = [...read('test/README.md').matchAll(/(PET_\w+)=\d+ npm test -- (test\/\S+\.test\.ts)/g)]
  expect(runs.length).toBeGreaterThan(4)
  for (const [, variable = '', file = ''] of runs) {
    const fixtures = [...read(file).matchAll(/'([./]+\/fixtures\/[\w-]+\.ts)'/g)]
    const texts = [file, ...fixtures.map(([, fixture = '']) => join(dirname(file), fixture))].map(read)
    expect(texts.join(), file).toContain(variable)
  }
})

describe('"What this rests on"', () => {
  const [, section = ''] = read('test/README.md').split('\n## What this rests on\n')
  const [, , ...rows] = (section.split('\n## ')[0]?.match(/^\|.*$/gm) ?? []).map((row) =>
    row.slice(2, -2).split(/ *\| */),
  )

  it('names requests that there are, and that add no pet, so that they can be sent to any environment', () => {
    const shown = rows.map(([, , , title = '']) => title).filter((title) => title !== '')
    const shows = scenarios.filter((scenario) => !addsPets(scenario)).map(({ title }) => title)
    expect(shown.length).toBeGreaterThan(10)
    expect(shown.filter((title) => !shows.includes(title))).toEqual([])
  })

  it('has a document of AWS, a record in the same words or a report for each behaviour, and says where it was tested', () => {
    for (const [behaviour, source = '', tested] of rows) {
      const [, record] = /^\[recorded\]\((unit\/[\w./-]+)\)$/.exec(source) ?? []
      if (record !== undefined) expect(read(`test/${record}`)).toContain(`'${behaviour}'`)
      else expect(source).toMatch(/^reported$|^\[([\w.-]+)\]\(https:\/\/docs\.aws\.amazon\.com\/[\w/-]+\/\1\.html\)$/)
      expect(tested).toMatch(/^(locally|on the emulator|locally and on the emulator|never)$/)
    }
  })
})
