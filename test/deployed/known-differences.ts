/**
 * The end-to-end tests that fail on the emulator, by their names after those of their groups, each with how the emulator
 * differs from API Gateway. The service works around none of this. front.ts and emulated-app.ts say what they do so that
 * all other tests run.
 */
export const failingTests: Readonly<Record<string, string>> = {
  'a request that names no operation > the path /pets//1 is 404':
    'The emulator drops an empty segment of a path. API Gateway keeps it within `{proxy+}`, as recorded on AWS.',
  'a browser on another origin > a response has the request ids of the access log':
    'The emulator sends no `x-amz-apigw-id`.',
}

/** The types of resources that the emulator does not know, and what is not tested for that reason. */
export const unknownResourceTypes: Readonly<Record<string, string>> = {
  'AWS::CodeDeploy::Application': 'The canary release: on the emulator a new version takes all traffic at once.',
  'AWS::CodeDeploy::DeploymentGroup': 'The canary release and its roll-back by alarms.',
  'AWS::Logs::QueryDefinition': 'The saved queries: the emulator has no Logs Insights.',
  'AWS::WAFv2::WebACLAssociation': 'The web firewall: on the emulator it stands beside the API and sees no request.',
}
