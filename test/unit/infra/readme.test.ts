import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createStage } from './synthesized.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const commands = [...readme.matchAll(/^ {4}(sam local .+)$/gm)].map(([, command = '']) => command)

describe('the commands of the README for the SAM CLI', () => {
  let template: string
  beforeAll(() => {
    const { directory, stacks } = createStage('staging').synth()
    template = stacks.find(({ templateFile }) => commands[0]?.includes(templateFile))?.templateFile ?? ''
    template = join(directory, template)
  })

  it('name the template of staging', () => {
    expect(commands).toHaveLength(2)
    expect(existsSync(template)).toBe(true)
    for (const command of commands) expect(command).toContain(template.split('/').at(-1))
  })

  it('name a function of that template and an event that is there', () => {
    const [, functionId = '', event = ''] = /json (\w+) -e (\S+)$/.exec(commands[0] ?? '') ?? []
    expect(JSON.parse(readFileSync(template, 'utf8')).Resources[functionId].Type).toBe('AWS::Lambda::Function')
    expect(existsSync(new URL(`../../../${event}`, import.meta.url))).toBe(true)
  })
})
