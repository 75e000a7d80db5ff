import { expect, it } from 'vitest'
import { createStage, everyOption, synthesizeTemplates } from '../../../fixtures/templates.ts'

// test/deployed reads the files and their headers from the emulator's CloudFront, which obeys the policy of the bucket.

const { api, reference } = synthesizeTemplates('production')

it('the reference refers to nothing of the API but its id, which stays exported when a domain is set', () => {
  const [name, ...more] = new Set(JSON.stringify(reference.toJSON()).match(/(?<="Fn::ImportValue":")[^"]+/g))
  expect(more).toEqual([])
  for (const template of [api, synthesizeTemplates('production', everyOption).api]) {
    expect(Object.values(template.findOutputs('*'))).toContainEqual(expect.objectContaining({ Export: { Name: name } }))
  }
})

// With a domain it refers to nothing of the API.
it.each([{}, everyOption])('the reference is deployed after the API, which does not wait for it, with %o', (change) => {
  const stage = createStage('production', change)
  expect(stage.reference?.dependencies).toContain(stage.api)
  expect(stage.api.dependencies).not.toContain(stage.reference)
})

it('the reference is left out where AWS refuses the account CloudFront, and the API is deployed all the same', () => {
  const { stacks } = createStage('production', { reference: false }).synth()
  expect(stacks.map(({ hierarchicalId }) => hierarchicalId).toSorted()).toEqual(['production/api', 'production/data'])
})
