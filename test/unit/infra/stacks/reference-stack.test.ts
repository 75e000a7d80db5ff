import { expect, it } from 'vitest'
import { createStage, everyOption, propertiesOf, resourcesOf, synthesize } from '../synthesized.ts'

// test/deployed reads the files and their headers from the emulator's CloudFront, and deletes the stack.

const { api, reference } = synthesize('production')

it('CloudFront alone reads the bucket of the reference, and responds 404 for what is not there', () => {
  const [[id, { Properties } = {}] = []] = Object.entries(resourcesOf(reference, 'AWS::CloudFront::Distribution'))
  const [{ PolicyDocument }] = propertiesOf(reference, 'AWS::S3::BucketPolicy')
  const reading = PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
  const Principal = { Service: 'cloudfront.amazonaws.com' }
  expect(reading).toMatchObject([{ Principal, Action: 's3:GetObject' }])
  expect(JSON.stringify(reading[0].Condition)).toContain(`{"Ref":"${id}"}`)
  const { CustomErrorResponses } = Properties.DistributionConfig
  expect(CustomErrorResponses).toMatchObject([{ ErrorCode: 403, ResponseCode: 404 }])
})

it('the reference refers to nothing of the API but its id, which stays exported when a domain is set', () => {
  const [name, ...more] = new Set(JSON.stringify(reference.toJSON()).match(/(?<="Fn::ImportValue":")[^"]+/g))
  expect(more).toEqual([])
  for (const template of [api, synthesize('production', everyOption).api]) {
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
