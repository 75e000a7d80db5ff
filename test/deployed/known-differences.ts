/**
 * Where the emulator and API Gateway differ, by the names of the end-to-end tests that tell, after those of their groups. The
 * service does what the documentation of AWS says and works around none of these.
 */
export interface KnownDifference {
  readonly reason: string
  /** The tests that fail on the emulator for this reason alone. The suite says when one passes. */
  readonly failing?: readonly string[]
  /** The tests that are not run, as they would take the emulator down for those after them. */
  readonly notRun?: readonly string[]
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason:
      'The emulator takes the API key of a usage plan from the header x-api-key, though the REST API says `apiKeySource: AUTHORIZER`: it ignores the `usageIdentifierKey` that the authorizer answers. So front.ts sends that header; API Gateway pays no attention to it.',
  },
  {
    reason:
      'The emulator starts a process for each of the requests that come at once, on one machine: on a busy one they wait too long for the store or run into their timeouts, and are answered 503 or 500.',
    notRun: [
      'POST /pets with an Idempotency-Key > adds one pet when twenty requests come at once',
      'the limits of a plan > let exactly 60 of 500 requests at once through, and answer 429 to the others',
      'the limits of a plan > ban a key for a time whose requests go on, until an operator ends the ban',
      'the limits of a plan > are not told as over with a ban that ends before they do',
    ],
  },
  {
    reason:
      'The emulator takes no notice of an empty segment in a path. API Gateway keeps it within `{proxy+}`, as recorded on AWS, and so does the local environment.',
    failing: ['a path that is not in the contract > answers 404 to "/pets//1"'],
  },
  {
    reason:
      'The emulator decodes %2F in a path before it routes, so an id with an encoded slash is a path of its own. API Gateway hands it on as it was sent, as recorded on AWS.',
    failing: [
      'GET /pets/{petId} > announces on every answer that it is deprecated, until when it works and what to use instead',
      'GET /pets/{petId} > answers 404 to the id ..%2F5',
    ],
  },
  {
    reason:
      "The emulator has neither the AWS CLI and boto3 nor the AWS SDK's client of S3, which CDK's functions for uploading files and emptying a bucket use: bucket-stand-in.ts does their work. Those functions themselves are not tested.",
  },
  {
    reason:
      'The emulator takes what CloudFront asks of S3 for a request without TLS: emulated-app.ts leaves the statement out that refuses those.',
  },
  {
    reason:
      "The emulator's S3 answers CloudFront 403 for what is not there, even where it may list the bucket: the page for 404 is not tested.",
  },
]

/** The types of resources that the emulator does not know, and what is not tested for want of them. */
export const unknownResourceTypes: Readonly<Record<string, string>> = {
  'AWS::Budgets::Budget': 'The budget of a month: on the emulator nothing costs anything.',
  'AWS::CodeDeploy::Application': 'The canary release: on the emulator a new version takes all traffic at once.',
  'AWS::CodeDeploy::DeploymentGroup': 'The canary release and its roll-back by alarms.',
  'AWS::WAFv2::WebACLAssociation': 'The web firewall: on the emulator it stands beside the API and sees no request.',
}
